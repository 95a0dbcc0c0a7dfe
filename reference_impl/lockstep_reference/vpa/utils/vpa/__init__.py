"""VPA objects: which one controls a pod, and how policies change a recommendation (pkg/utils/vpa)."""

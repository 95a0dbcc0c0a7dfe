"""VPA objects: which one controls a pod, what its policies make of a recommendation (pkg/utils/vpa)."""

"""Pods (pkg/admission-controller/resource/pod)."""

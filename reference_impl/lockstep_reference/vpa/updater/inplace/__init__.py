"""What a resize in place changes of a pod (pkg/updater/inplace)."""

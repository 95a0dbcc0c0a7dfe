"""Which pods are updated, and in which order (pkg/updater/priority)."""

"""The updater's loop (pkg/updater/logic)."""

"""The patches of an in-place resize (pkg/updater/inplace)."""

"""How many pods of one group may be disturbed at once (pkg/updater/restriction)."""

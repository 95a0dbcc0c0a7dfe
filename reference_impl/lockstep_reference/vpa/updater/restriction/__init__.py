"""How many pods of one group may be disrupted at once (pkg/updater/restriction)."""

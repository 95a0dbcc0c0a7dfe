"""Server-side tables: what `kubectl get` prints."""

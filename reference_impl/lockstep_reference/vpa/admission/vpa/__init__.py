"""VPA objects: validation, defaults, and which VPA controls a pod."""

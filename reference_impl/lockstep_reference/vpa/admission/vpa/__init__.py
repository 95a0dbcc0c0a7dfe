"""VPA objects: what is refused, what is filled in, and which of them is about a pod."""

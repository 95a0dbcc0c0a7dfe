"""Readable Python reference implementations of Kubernetes controllers."""

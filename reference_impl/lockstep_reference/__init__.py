"""Readable Python references of Kubernetes controllers."""

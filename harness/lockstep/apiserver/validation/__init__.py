"""Validation of objects, kind by kind, with upstream's messages."""

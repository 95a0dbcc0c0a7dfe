"""Validation of objects, kind by kind, in the words of upstream."""

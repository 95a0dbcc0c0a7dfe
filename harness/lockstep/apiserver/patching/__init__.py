"""The four ways to patch an object."""

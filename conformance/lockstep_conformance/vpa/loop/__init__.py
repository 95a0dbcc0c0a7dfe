"""Scenarios for the closed loop: usage, recommendation, eviction, recreation, admission, usage."""

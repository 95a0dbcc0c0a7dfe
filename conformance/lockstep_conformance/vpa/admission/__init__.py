"""Scenarios for the VPA admission controller."""

"""Scenarios for the HorizontalPodAutoscaler controller."""

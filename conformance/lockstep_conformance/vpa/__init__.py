"""Scenarios for the VerticalPodAutoscaler: recommender, updater, admission controller, and all of them together."""

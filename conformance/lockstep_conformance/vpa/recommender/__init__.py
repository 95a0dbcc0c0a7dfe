"""Scenarios of the VPA recommender."""

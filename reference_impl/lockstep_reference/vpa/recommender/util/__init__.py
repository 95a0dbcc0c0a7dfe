"""Histograms of usage (pkg/recommender/util)."""

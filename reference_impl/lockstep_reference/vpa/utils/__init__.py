"""What the recommender, the updater and the admission controller share (pkg/utils)."""

"""What the recommender takes in: VPAs, pods, usage, OOMs, and at its start history or checkpoints."""

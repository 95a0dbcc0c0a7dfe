"""The recommender's input: VPAs, pods, usage, OOMs, and at the start history or checkpoints."""

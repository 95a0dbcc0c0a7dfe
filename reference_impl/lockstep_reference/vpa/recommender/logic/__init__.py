"""From usage to recommendations (pkg/recommender/logic)."""

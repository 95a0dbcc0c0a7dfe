"""What the recommender knows: pods, containers, VPAs, and usage by kind of container (pkg/recommender/model).

Left out is what upstream keeps for its quality metrics only: last recommendations, update and scaling modes of
aggregations.
"""

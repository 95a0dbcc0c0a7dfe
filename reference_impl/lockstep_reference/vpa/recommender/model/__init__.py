"""The recommender's model: pods, containers, VPAs, and usage by kind of container (pkg/recommender/model).

What upstream keeps only for its quality metrics is left out: last recommendations, update and scaling modes of
aggregations.
"""

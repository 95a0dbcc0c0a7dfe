"""The recommender's loop (`recommender`), what is done to recommendations afterwards (`post_processors`), and putting
it all together (`recommender_controller`).
"""

"""The recommender's loop (`recommender`), what is done to recommendations afterwards (`*_post_processor`), and putting
it all together (`recommender_controller`).
"""

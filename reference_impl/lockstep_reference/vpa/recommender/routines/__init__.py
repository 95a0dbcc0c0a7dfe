"""The recommender's loop (`recommender`), its `post_processors`, and its assembly (`recommender_controller`)."""

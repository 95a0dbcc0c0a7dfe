"""Checkpoints: the aggregated history of each container of a VPA, kept in the API server (`checkpoint_writer`)."""

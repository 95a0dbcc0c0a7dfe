"""What scenarios are made of: the declaration, the cluster that they act on, and their assertions."""

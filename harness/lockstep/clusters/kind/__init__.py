"""A real kind cluster, of a node image that `tools/node_image` built or of any other, through pytest-kind."""

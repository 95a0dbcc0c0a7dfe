"""What builds the pages and tables of this repository. Not part of the distribution."""

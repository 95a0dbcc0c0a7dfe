"""The admission server: from a request to an answer."""

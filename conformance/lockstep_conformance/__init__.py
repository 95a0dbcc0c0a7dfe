"""The conformance suite: what each controller must do, as scenarios that run against any implementation."""

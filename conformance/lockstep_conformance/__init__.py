"""The conformance suite: what each controller must do, as scenarios that any implementation can run."""

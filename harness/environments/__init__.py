"""The world that controllers act on. `memory` is the in-memory API server on virtual time."""

#: The environments a run can name.
ENVIRONMENTS = ("memory",)

"""The one base of all errors that are meant for the user."""


class LockstepError(Exception):
    """Something that the user can act on: the message says what happened, why, and what to do next."""

"""The base class of all errors for the user, and the message for an extra that is not installed."""

from __future__ import annotations

from types import TracebackType


class LockstepError(Exception):
    """An error that the user can act on: the message says what happened, why, and what to do next."""


class extra:  # noqa: N801 - reads as a statement: `with extra(...)`
    """Import packages of an extra in this block. Raises LockstepError if the extra is not installed.

    `what` needs it, in the plural: "real clusters".
    """

    def __init__(self, name: str, what: str) -> None:
        self._name, self._what = name, what

    def __enter__(self) -> None:
        """There is nothing to open."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if isinstance(error, ImportError):
            raise LockstepError(
                f"{self._what} need {error.name or error}, which is not installed: "
                f"pip install 'kube-lockstep[{self._name}]'"
            ) from error

"""Errors of the model (pkg/recommender/model/errors.go). Upstream's callers only log them."""

from __future__ import annotations

import builtins


class KeyError(builtins.KeyError):  # noqa: A001 - upstream's name
    """A pod, container or VPA that the model does not have (KeyError)."""

    def __init__(self, key: str | tuple[object, ...]) -> None:
        super().__init__(key)
        self._key = key

    def __str__(self) -> str:
        return f"KeyError: {_go_text(self._key)}"


class SampleDiscarded(ValueError):
    """A sample, or an out-of-memory kill, that does not count; the message is upstream's."""


def _go_text(key: object) -> str:
    """As fmt prints structs of strings."""
    return f"{{{' '.join(map(_go_text, key))}}}" if isinstance(key, tuple) else str(key)

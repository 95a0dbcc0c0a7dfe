"""One version of one object, as the store keeps it."""

from __future__ import annotations

from typing import Any

import orjson


class Stored:
    """An object at one resourceVersion. Immutable; its JSON is made at most once."""

    __slots__ = ("_raw", "key", "object", "version")

    def __init__(self, key: str, payload: dict[str, Any], version: int) -> None:
        #: `namespace/name`, or the name alone for cluster-scoped kinds: the order of lists.
        self.key = key
        self.object = payload
        self.version = version
        self._raw: bytes | None = None

    def raw(self) -> bytes:
        """The object as JSON."""
        if self._raw is None:
            self._raw = orjson.dumps(self.object)
        return self._raw

"""A new definition is not served at once: the kind's storage starts first, and its watch cache is filled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

#: Seconds until a new kind must be served, and between two checks of that.
_PATIENCE, _GLANCE = 30.0, 0.02


class NotServed(RuntimeError):
    """A kind cannot be used; the message names it and the last answer."""


def wait_until_served(definitions: Iterable[Mapping[str, Any]], get: Callable[[str], tuple[int, str]]) -> None:
    """List each kind, in each version, until all lists are answered with 200. Raises NotServed.

    `get` takes a path, and returns the status of the answer and the answer as text. A plain list comes from the watch
    cache, and is refused with 429 until that is filled; a list with a limit would bypass the cache.
    """
    for definition in definitions:
        deadline = time.monotonic() + _PATIENCE
        for path in collections(definition):
            while (answer := get(path))[0] != 200:
                if time.monotonic() > deadline:
                    name = definition["metadata"]["name"]
                    raise NotServed(f"{name} is not served {_PATIENCE:g} s after it was defined: {answer[1]}")
                time.sleep(_GLANCE)


def collections(definition: Mapping[str, Any]) -> Iterator[str]:
    """The paths of the definition's objects in all namespaces, one for each version that is served."""
    spec = definition["spec"]
    for version in spec["versions"]:
        if version.get("served", True):
            yield f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"

"""Object metadata: keys, owners, timestamps.

Instants are nanoseconds since 2000-01-01T00:00:00Z, as everywhere in the reference.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

SECOND = 10**9
#: Unix time of the instant 0, in nanoseconds.
EPOCH_NS = 946_684_800 * SECOND
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


def key_of(obj: dict[str, Any]) -> str:
    """`namespace/name`, or `name` without a namespace (tools/cache/store.go, MetaNamespaceKeyFunc)."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


def split_key(key: str) -> tuple[str, str]:
    """(namespace, name) of a key; the namespace is "" for a bare name (tools/cache/store.go, SplitMetaNamespaceKey).

    Raises ValueError if the key has more than one slash.
    """
    parts = key.split("/")
    if len(parts) > 2:
        raise ValueError(f'unexpected key format: "{key}"')
    return (parts[0], parts[1]) if len(parts) == 2 else ("", parts[0])


def controller_of(obj: dict[str, Any]) -> dict[str, Any] | None:
    """The owner reference with `controller: true`, if any (apis/meta/v1/controller_ref.go, GetControllerOf).

    It is the object's own: do not change it.
    """
    references: list[dict[str, Any]] = obj["metadata"].get("ownerReferences") or []
    for reference in references:
        if reference.get("controller"):
            return reference
    return None


def resource_version(obj: dict[str, Any]) -> str:
    """The object's resourceVersion, "" if it has none."""
    version: str = obj["metadata"].get("resourceVersion") or ""
    return version


@lru_cache(maxsize=8192)
def parse_time(text: str) -> int:
    """The instant that an RFC 3339 `text` names. Raises ValueError on anything else."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone: write RFC 3339, such as 2000-01-01T00:00:00Z")
    if text[11:13] == "24":  # Python 3.14 takes it for the next midnight
        raise ValueError(f"{text!r} has no such hour: the last one of a day is 23")
    delta = moment - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * SECOND + delta.microseconds * 1000


@lru_cache(maxsize=8192)
def _format_seconds(seconds: int) -> str:
    return datetime.fromtimestamp(EPOCH_NS // SECOND + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_time(instant: int) -> str:
    """The instant as `metav1.Time` writes it: UTC, whole seconds, the fraction cut off."""
    return _format_seconds(instant // SECOND)

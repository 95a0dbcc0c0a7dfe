"""The short way to read the answer of metrics-server: one pass over a list that looks as it always does.

What is read here is what `resource_metrics` reads in the long way, which decides about all else, and words the errors.
"""

from __future__ import annotations

from typing import Any

from lockstep.wire.gomath import int64
from lockstep.wire.gotime import parse_duration, parse_rfc3339
from lockstep.wire.quantity import parse_milli_value
from lockstep_reference.hpa.metrics import PodMetric, PodMetricsInfo

#: The keys of a list, and of an entry's metadata.
_LIST_KEYS = {"kind", "apiVersion", "metadata", "items"}
_METADATA_KEYS = {"name", "namespace", "creationTimestamp", "labels"}
_UNUSUAL = (KeyError, TypeError, AttributeError, ValueError)


def read(body: Any, group_version: str, resource: str, container: str) -> tuple[PodMetricsInfo, int] | None:
    """Usage by pod and the first timestamp; None if the list is empty, or anything in it is unusual.

    Every value is looked at, as Go's decoder does, also those that are not used.
    """
    if type(body) is not dict or body.keys() != _LIST_KEYS or body["metadata"] != {}:
        return None
    items = body["items"]
    if body["kind"] != "PodMetricsList" or body["apiVersion"] != group_version or type(items) is not list or not items:
        return None
    found: PodMetricsInfo = {}
    usages: dict[int, int | None] = {}
    metadata = _Metadata()
    try:
        for item in items:
            # Pods of one kind share what was read once; while the answer lives, an identity is that of one list.
            containers = item["containers"]
            known = id(containers)
            if known not in usages:
                usages[known] = _usage(containers, resource, container)
            usage = usages[known]
            timestamp, window = parse_rfc3339(item["timestamp"]), parse_duration(item["window"])
            if len(item) != 4 or not metadata.usual(item["metadata"]):
                return None
            if usage is not None:
                found[item["metadata"]["name"]] = PodMetric(timestamp, window, usage)
        return found, parse_rfc3339(items[0]["timestamp"])
    except _UNUSUAL:
        return None


class _Metadata:
    """Looks at the metadata of the entries of one answer."""

    __slots__ = ("_created", "_labels")

    def __init__(self) -> None:
        self._labels: Any = None
        self._created: Any = None

    def usual(self, metadata: dict[str, Any]) -> bool:
        """Whether there is a name, and nothing more to look at than usual. Raises ValueError on a malformed time."""
        name, labels, created = metadata["name"], metadata.get("labels"), metadata["creationTimestamp"]
        if labels is not None and labels is not self._labels:
            for value in labels.values():
                if type(value) is not str:
                    return False
            self._labels = labels
        if created is not self._created:
            parse_rfc3339(created)
            self._created = created
        return type(name) is str is type(metadata["namespace"]) and name != "" and metadata.keys() <= _METADATA_KEYS


def _usage(containers: Any, resource: str, container: str) -> int | None:
    """Of the container, or for "" of all of them; None if it is not known. Raises ValueError for what is unusual."""
    usages = _usages(containers, resource)
    if container:
        return next((usage for name, usage in usages if name == container), None)
    total = 0
    for _, usage in usages:
        if usage is None:
            return None
        total += usage
    return int64(total) if usages else None


def _usages(containers: Any, resource: str) -> list[tuple[str, int | None]]:
    """Name and usage of each container. Raises ValueError and the like for what is unusual."""
    if type(containers) is not list:
        raise ValueError("no list")
    usages = []
    for one in containers:
        name, milli = one["name"], None
        if type(name) is not str or len(one) != 2:
            raise ValueError("more than name and usage")
        for key, text in one["usage"].items():
            value = parse_milli_value(text)
            if key == resource:
                milli = value
        usages.append((name, milli))
    return usages

"""The short way to read the answer of metrics-server: one pass over a list that looks as it always does.

What is read here is what `source` reads in the long way, which decides about all else, and words the errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lockstep.wire.gotime import parse_duration, parse_rfc3339
from lockstep.wire.quantity import parse_milli_value, parse_quantity
from lockstep_reference.vpa.recommender.input.metrics import ContainerMetricsSnapshot
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID

_LIST_KEYS = {"kind", "apiVersion", "metadata", "items"}
_METADATA_KEYS = {"name", "namespace", "creationTimestamp", "labels"}
_USAGE_KEYS = {"cpu", "memory"}
_UNUSUAL = (KeyError, TypeError, AttributeError, ValueError)
_PLAIN_DIGITS = 12  # so few digits overflow nothing

_new = tuple.__new__


def read(body: Any, group_version: str) -> list[ContainerMetricsSnapshot] | None:
    """A snapshot for each container; None if anything in the list is unusual."""
    try:
        if body.keys() != _LIST_KEYS or body["metadata"] != {} or body["apiVersion"] != group_version:
            return None
        if body["kind"] != "PodMetricsList" or type(body["items"]) is not list:
            return None
        found: list[ContainerMetricsSnapshot] = []
        labels: Any = None
        for item in body["items"]:
            metadata = item["metadata"]
            pod, labels = _pod(metadata, labels), metadata.get("labels")
            timestamp = parse_rfc3339(item["timestamp"])
            parse_duration(item["window"])
            if len(item) != 4 or type(item["containers"]) is not list:
                return None
            for one in item["containers"]:
                usage = one["usage"]
                if len(one) != 2 or usage.keys() != _USAGE_KEYS or type(one["name"]) is not str:
                    return None
                values = (_id(pod, one["name"]), timestamp, parse_milli_value(usage["cpu"]), _bytes(usage["memory"]))
                found.append(_new(ContainerMetricsSnapshot, values))
    except _UNUSUAL:
        return None
    return found


@lru_cache(maxsize=65536)
def _id(pod: PodID, container: str) -> ContainerID:
    return ContainerID(pod, container)


def _pod(metadata: Mapping[str, Any], checked: Any) -> PodID:
    """Whose metrics these are. `checked` are labels that were looked at just now. Raises what is unusual."""
    labels, name, namespace = metadata.get("labels"), metadata["name"], metadata["namespace"]
    if labels is not checked and labels is not None and any(type(value) is not str for value in labels.values()):
        raise ValueError("labels that are no strings")
    if type(name) is not str or type(namespace) is not str or not metadata.keys() <= _METADATA_KEYS:
        raise ValueError("more than usual")
    parse_rfc3339(metadata["creationTimestamp"])
    return PodID(namespace, name)


def _bytes(text: str) -> int:
    """ParseQuantity(text).Value(). Raises InvalidQuantity."""
    number = text[:-2]
    if text.endswith("Ki") and number.isdigit() and number.isascii() and len(number) <= _PLAIN_DIGITS:
        return int(number) * 1024
    return parse_quantity(text).value()

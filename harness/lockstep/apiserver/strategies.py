"""Kinds whose types are described in full (see `gotypes`): how their objects are decoded, validated and stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from lockstep.apiserver.autoscaling import strategy as horizontal_pod_autoscaler
from lockstep.apiserver.kinds import Kind
from lockstep.wire.field import FieldError

Object = dict[str, Any]
Gates = Mapping[str, bool]


class Strategy(Protocol):
    """One kind. Objects are private and may be changed, except for `old`, which is the stored one."""

    def decode(self, payload: Object, version: str) -> None:
        """Convert an object sent in `version` into the stored version, with defaults. Raises ValueError."""

    def prepare(self, payload: Object, old: Object | None, gates: Gates) -> None:
        """Drop what the feature gates do not allow; `old` is None on a create."""

    def findings(self, payload: Object, old: Object | None, gates: Gates) -> list[FieldError]:
        """What is wrong with the spec."""

    def status_findings(self, payload: Object) -> list[FieldError]:
        """What is wrong with the status."""

    def store(self, payload: Object) -> None:
        """Bring a validated object into the form in which it is read."""


_BY_KIND: Mapping[str, Strategy] = {"HorizontalPodAutoscaler": horizontal_pod_autoscaler}


def strategy_of(kind: Kind) -> Strategy | None:
    """The strategy of a kind, or None if the kind has none here."""
    return _BY_KIND.get(kind.kind) if kind.strategic else None

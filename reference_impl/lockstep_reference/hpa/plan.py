"""What the spec of an HPA asks for, worked out once for as long as it stays the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lockstep.wire.quantity import parse_approximate_float
from lockstep_reference.hpa.replica_calculator import Tolerances
from lockstep_reference.hpa.sources import MetricSource, metric_source

Spec = dict[str, Any]


class InvalidTarget(Exception):
    """The target's apiVersion has more than one slash; the text is upstream's (schema.ParseGroupVersion)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A spec, read. `reference` is how messages name the target: `kind/namespace/name`."""

    spec: Spec
    api_version: str
    kind: str
    name: str
    reference: str
    min_replicas: int
    max_replicas: int
    behavior: dict[str, Any] | None
    sources: tuple[MetricSource, ...]
    tolerances: Tolerances
    has_object_or_external_metrics: bool

    def target_group(self) -> str:
        """The API group of the target. Raises InvalidTarget."""
        if self.api_version.count("/") > 1:
            raise InvalidTarget(f"unexpected GroupVersion string: {self.api_version}")
        return self.api_version.rpartition("/")[0]


class Planner:
    """Reads specs. `tolerance` holds where the spec sets none, or `configurable_tolerance` forbids it to."""

    def __init__(self, tolerance: float, *, configurable_tolerance: bool) -> None:
        self._tolerance = tolerance
        self._configurable = configurable_tolerance
        self._plans: dict[str, Plan] = {}

    def plan(self, key: str, namespace: str, spec: Spec) -> Plan:
        """The plan of the HPA `key`, read again only if its spec has changed."""
        known = self._plans.get(key)
        if known is not None and (known.spec is spec or known.spec == spec):
            return known
        plan = self._plans[key] = self._read(namespace, spec)
        return plan

    def forget(self, key: str) -> None:
        """The HPA is gone."""
        self._plans.pop(key, None)

    def _read(self, namespace: str, spec: Spec) -> Plan:
        target = spec["scaleTargetRef"]
        kind, name = target.get("kind") or "", target.get("name") or ""
        metrics = spec.get("metrics") or ()
        wanted = spec.get("minReplicas")
        behavior = spec.get("behavior")
        return Plan(
            spec=spec,
            api_version=target.get("apiVersion") or "",
            kind=kind,
            name=name,
            reference=f"{kind}/{namespace}/{name}",
            min_replicas=1 if wanted is None else wanted,
            max_replicas=spec.get("maxReplicas") or 0,
            behavior=behavior,
            sources=tuple(map(metric_source, metrics)),
            tolerances=self._tolerances(behavior),
            has_object_or_external_metrics=any(one.get("type") in ("Object", "External") for one in metrics),
        )

    def _tolerances(self, behavior: Mapping[str, Any] | None) -> Tolerances:
        """How far usage may be from its target without scaling (tolerancesForHpa)."""
        if behavior is None or not self._configurable:
            return Tolerances(self._tolerance, self._tolerance)
        return Tolerances(
            scale_down=self._tolerance_of(behavior.get("scaleDown")),
            scale_up=self._tolerance_of(behavior.get("scaleUp")),
        )

    def _tolerance_of(self, rules: Mapping[str, Any] | None) -> float:
        text = (rules or {}).get("tolerance")
        return self._tolerance if text is None else parse_approximate_float(text)

"""How requests about autoscalers are carried out (pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go).

Upstream decodes a body into the internal version, whose structure is v2's, validates it there, stores v2, and sets
defaults again whenever it reads from the store. So `decode` makes v2 of every body, and `store` gives an object the
form that reading it back would give it: with v2's defaults, as Go encodes it, and without the annotations of v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.apiserver import gotypes
from lockstep.apiserver.autoscaling import conversion, defaults, types_v1, types_v2
from lockstep.apiserver.autoscaling.references import ReferenceRules, api_version_problem
from lockstep.apiserver.autoscaling.validation import Rules, spec_findings
from lockstep.apiserver.sharing import Shared
from lockstep.wire.field import FieldError, invalid_value

Object = dict[str, Any]
Gates = Mapping[str, bool]

_STORED_VERSION = "autoscaling/v2"
_RULES = ("scaleDown", "scaleUp")
_OBJECT_REFERENCES = ReferenceRules(empty_group=True)

#: A spec of v2 after decoding, and after storing. Cached, as controllers send the same spec with every status.
_decoded_spec = Shared(lambda sent: defaults.default_v2(types_v2.SPEC.take(sent)))
_stored_spec = Shared(lambda spec: types_v2.SPEC.emit(defaults.default_v2(spec)))


def decode(payload: Object, version: str) -> None:
    """Turn a private object of `version` into one of v2, with defaults. Raises ValueError with Go's message."""
    try:
        _decode(payload, version)
    except ValueError:
        gotypes.decode(payload, types_v1.OBJECT if version == "v1" else types_v2.OBJECT)  # raises what Go reports
        raise
    conversion.drop_round_trip_annotations(payload["metadata"])


def _decode(payload: Object, version: str) -> None:
    spec, status = ({} if payload.get(part) is None else payload[part] for part in ("spec", "status"))
    if version == "v1":
        spec, status = types_v1.SPEC.take(spec), types_v1.STATUS.take(status)
        annotations = payload["metadata"].get("annotations")
        payload["spec"] = conversion.spec_from_v1(defaults.default_v1(spec), annotations)
        payload["status"] = conversion.status_from_v1(status, annotations)
        payload["apiVersion"] = _STORED_VERSION
    else:
        status = types_v2.STATUS.take(status)
        payload["spec"], payload["status"] = _decoded_spec(spec), status


def store(payload: Object) -> None:
    """Give a private object the form in which it is read from the store."""
    payload["spec"] = _stored_spec(payload["spec"])
    payload["status"] = types_v2.STATUS.emit(payload.get("status"))


def prepare(payload: Object, old: Object | None, gates: Gates) -> None:
    """dropDisabledFields: without HPAConfigurableTolerance, no tolerance unless there was one before."""
    behavior = payload["spec"].get("behavior")
    if gates["HPAConfigurableTolerance"] or behavior is None or (old is not None and _uses_tolerance(old)):
        return
    kept = {side: {key: item for key, item in rules.items() if key != "tolerance"} for side, rules in behavior.items()}
    payload["spec"] = {**payload["spec"], "behavior": kept}


def _uses_tolerance(autoscaler: Object) -> bool:
    behavior = autoscaler["spec"].get("behavior") or {}
    return any("tolerance" in (behavior.get(side) or {}) for side in _RULES)


def findings(payload: Object, old: Object | None, gates: Gates) -> list[FieldError]:
    """What is wrong with the spec of an object that is created, or that replaces `old`."""
    return spec_findings(payload["spec"], _rules(payload, old, gates))


def _rules(payload: Object, old: Object | None, gates: Gates) -> Rules:
    """validationOptionsForHorizontalPodAutoscaler: what was invalid before may stay so."""
    before = None if old is None else old["spec"]
    zero_before = before is not None and before.get("minReplicas") == 0
    target, objects = ReferenceRules(), _OBJECT_REFERENCES
    reference = payload["spec"].get("scaleTargetRef", {})
    if before is not None and _version_and_kind(before["scaleTargetRef"]) == _version_and_kind(reference):
        target = ReferenceRules(any_version=True)
    elif reference.get("kind") == "ReplicationController":
        target = ReferenceRules(empty_group=True)
    described = [
        metric["object"]["describedObject"]
        for metric in (before or {}).get("metrics") or ()
        if metric["type"] == "Object" and "object" in metric
    ]
    if any(api_version_problem(one, objects) for one in described):
        objects = ReferenceRules(any_version=True)
    return Rules(0 if gates["HPAScaleToZero"] or zero_before else 1, target, objects)


def _version_and_kind(reference: Object) -> tuple[str, str]:
    return reference.get("apiVersion", ""), reference.get("kind", "")


def status_findings(payload: Object) -> list[FieldError]:
    """ValidateHorizontalPodAutoscalerStatusUpdate."""
    status = payload.get("status") or {}
    counts = ((name, status.get(name, 0)) for name in ("currentReplicas", "desiredReplicas"))
    reason = "must be greater than or equal to 0"
    return [invalid_value(f"status.{name}", count, reason) for name, count in counts if count < 0]

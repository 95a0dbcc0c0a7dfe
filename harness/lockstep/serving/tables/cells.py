"""The cells of workloads, autoscalers, nodes and events (pkg/printers/internalversion/printers.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.serving.tables.ages import age, between

Object = dict[str, Any]
_NONE = "<none>"
_UNKNOWN = "<unknown>"
_MOST_METRICS = 2
_ROLE = "node-role.kubernetes.io/"


def _spec(one: Object) -> Object:
    return one.get("spec") or {}


def _status(one: Object) -> Object:
    return one.get("status") or {}


def _containers(one: Object) -> list[Object]:
    found: list[Object] = ((_spec(one).get("template") or {}).get("spec") or {}).get("containers") or []
    return found


def container_names(one: Object) -> str:
    """Names of the template's containers."""
    return ",".join(container.get("name", "") for container in _containers(one))


def images(one: Object) -> str:
    """Images of the template's containers."""
    return ",".join(container.get("image", "") for container in _containers(one))


def selector(one: Object) -> str:
    """A label selector, or a plain map of labels, as text (metav1.FormatLabelSelector)."""
    found = _spec(one).get("selector") or {}
    labels = found.get("matchLabels", {} if "matchExpressions" in found else found) or {}
    parts = [f"{key}={value}" for key, value in sorted(labels.items())]
    parts += [_expression(item) for item in found.get("matchExpressions") or ()]
    return ",".join(parts) or _NONE


def _expression(item: Object) -> str:
    key, operator, values = item.get("key", ""), item.get("operator"), ",".join(sorted(item.get("values") or ()))
    if operator == "Exists":
        return str(key)
    if operator == "DoesNotExist":
        return f"!{key}"
    return f"{key} {'in' if operator == 'In' else 'notin'} ({values})"


def node_selector(one: Object) -> str:
    """The template's node selector."""
    found = ((_spec(one).get("template") or {}).get("spec") or {}).get("nodeSelector") or {}
    return ",".join(f"{key}={value}" for key, value in sorted(found.items())) or _NONE


def ready_of_replicas(one: Object) -> str:
    """Ready replicas of those wanted."""
    wanted = _spec(one).get("replicas")
    return f"{_status(one).get('readyReplicas') or 0}/{1 if wanted is None else wanted}"


def readiness_gates(pod: Object) -> str:
    """Readiness gates that are met, of all."""
    gates = [gate.get("conditionType") for gate in _spec(pod).get("readinessGates") or ()]
    if not gates:
        return _NONE
    true = [one.get("type") for one in _status(pod).get("conditions") or () if one.get("status") == "True"]
    return f"{sum(gate in true for gate in gates)}/{len(gates)}"


def _has_condition(one: Object, kind: str) -> bool:
    return any(
        item.get("type") == kind and item.get("status") == "True" for item in _status(one).get("conditions") or ()
    )


def job_status(job: Object) -> str:
    """Complete, Failed, Suspended, Terminating, FailureTarget, SuccessCriteriaMet or Running."""
    if _has_condition(job, "Complete"):
        return "Complete"
    if _has_condition(job, "Failed"):
        return "Failed"
    if (job.get("metadata") or {}).get("deletionTimestamp"):
        return "Terminating"
    for kind in ("Suspended", "FailureTarget", "SuccessCriteriaMet"):
        if _has_condition(job, kind):
            return kind
    return "Running"


def job_completions(job: Object) -> str:
    """Successes of those wanted."""
    done, wanted = _status(job).get("succeeded") or 0, _spec(job).get("completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    parallelism = _spec(job).get("parallelism") or 0
    return f"{done}/1 of {parallelism}" if parallelism > 1 else f"{done}/1"


def job_duration(job: Object, now: int) -> str:
    """How long a job has been running, or ran."""
    start, end = _status(job).get("startTime"), _status(job).get("completionTime")
    if not start:
        return ""
    return between(start, end) if end else age(start, now)


def hpa_reference(hpa: Object) -> str:
    """What an autoscaler scales."""
    target = _spec(hpa).get("scaleTargetRef") or {}
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def hpa_targets(hpa: Object) -> str:
    """Current and wanted values of the first two metrics (formatHPAMetrics)."""
    wanted, current = _metrics(hpa)
    if not wanted:
        return _NONE
    texts = [_target(spec, current[number] if number < len(current) else {}) for number, spec in enumerate(wanted)]
    shown = ", ".join(texts[:_MOST_METRICS])
    return f"{shown} + {len(texts) - _MOST_METRICS} more..." if len(texts) > _MOST_METRICS else shown


def _metrics(hpa: Object) -> tuple[list[Object], list[Object]]:
    spec, status = _spec(hpa), _status(hpa)
    if "targetCPUUtilizationPercentage" not in spec:
        return spec.get("metrics") or [], status.get("currentMetrics") or []
    target = {"type": "Utilization", "averageUtilization": spec["targetCPUUtilizationPercentage"]}
    used = {"averageUtilization": status.get("currentCPUUtilizationPercentage")}
    wanted: Object = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    return [wanted], [{"type": "Resource", "resource": {"name": "cpu", "current": used}}]


def _target(spec: Object, current: Object) -> str:
    kind = str(spec.get("type", ""))
    field = kind[:1].lower() + kind[1:]
    source, found = spec.get(field) or {}, (current.get(field) or {}).get("current") or {}
    target = source.get("target") or {}
    label = f"{source.get('name')}: " if kind in ("Resource", "ContainerResource") else ""
    if kind in ("Resource", "ContainerResource") and target.get("averageValue") is None:
        now, wanted = found.get("averageUtilization"), target.get("averageUtilization")
        return f"{label}{_UNKNOWN if now is None else f'{now}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"
    if target.get("averageValue") is not None:
        average = " (avg)" if kind in ("Object", "External") else ""
        return f"{label}{found.get('averageValue', _UNKNOWN)}/{target['averageValue']}{average}"
    return f"{label}{found.get('value', _UNKNOWN)}/{target.get('value', _UNKNOWN)}"


def node_status(node: Object) -> str:
    """Ready or not, and whether it is cordoned."""
    ready = next((one for one in _status(node).get("conditions") or () if one.get("type") == "Ready"), None)
    word = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    return f"{word},SchedulingDisabled" if _spec(node).get("unschedulable") else word


def node_roles(node: Object) -> str:
    """Roles by label."""
    labels = (node.get("metadata") or {}).get("labels") or {}
    roles = sorted(key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE) and key != _ROLE)
    return ",".join(roles) or _NONE


def node_address(kind: str) -> Callable[[Object, int], str]:
    """The node's first address of a type."""

    def cell(node: Object, now: int) -> str:
        found = (one.get("address") for one in _status(node).get("addresses") or () if one.get("type") == kind)
        return next(found, None) or _NONE

    return cell


def event_object(event: Object) -> str:
    """What an event is about."""
    about = event.get("involvedObject") or event.get("regarding") or {}
    return f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}"


def event_source(event: Object) -> str:
    """Who reported an event, and where."""
    source = event.get("source") or {}
    parts = (source.get("component") or event.get("reportingComponent"), source.get("host"))
    return ", ".join(part for part in parts if part)


def event_message(event: Object) -> str:
    """The message or, in the newer API, the note."""
    return str(event.get("message") or event.get("note") or "").strip()


def event_count(event: Object) -> int:
    """How often it happened."""
    return int((event.get("series") or {}).get("count") or event.get("count") or 1)


def event_first_seen(event: Object, now: int) -> str:
    """When it happened first."""
    return age(event.get("firstTimestamp") or event.get("eventTime"), now)


def event_last_seen(event: Object, now: int) -> str:
    """When it happened last, and how often since when."""
    last = (event.get("series") or {}).get("lastObservedTime") or event.get("lastTimestamp")
    if not last:
        return event_first_seen(event, now)
    count = event_count(event)
    return f"{age(last, now)} (x{count} over {event_first_seen(event, now)})" if count > 1 else age(last, now)

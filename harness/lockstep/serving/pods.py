"""The usage and lifecycles of the pods of a served cluster, as data: a file, or the body of a request.

A document has the sections `loads`, `custom`, `external` and `lifecycles`, lists of entries each (docs/serving.md). As
soon as one has metrics, the API that serves them exists. A later document replaces the metrics of an earlier
one; its lifecycles hold for pods created later, with precedence over earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml

from lockstep.metrics import Metrics, MetricsError, daily, each, ramp, recorded, shared, steps
from lockstep.metrics.curves import Curve, curve_of
from lockstep.metrics.groups import RESOURCE
from lockstep.metrics.handles import Handle
from lockstep.metrics.usage import Usage
from lockstep.serving import ServeError
from lockstep.world import Group, Lifecycle, World
from lockstep.world.lifecycle import Lifecycles

Object = dict[str, Any]
SECTIONS = ("loads", "custom", "external", "lifecycles")
#: The API server labels the pods of a Job with its name.
_JOB = "batch.kubernetes.io/job-name"
#: Seconds that a pod of a Job runs unless a lifecycle says otherwise.
JOB_DURATION = 3.0
_TIMES = frozenset(
    one.name for one in fields(Lifecycle) if one.name not in ("flaps", "restarts", "ooms", "oom_down", "resize")
)
_CURVES: Mapping[str, Callable[..., Curve]] = {"steps": steps, "ramp": ramp, "daily": daily}
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_document(path: Path) -> Object:
    """The document in a file of YAML or JSON. Raises ServeError."""
    try:
        return checked(yaml.load(path.read_bytes(), Loader=_LOADER))  # noqa: S506 - it is a safe loader
    except OSError as error:
        raise ServeError(f"pods {path}: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ServeError(f"pods {path} is neither YAML nor JSON: {' '.join(str(error).split())}") from error
    except ServeError as error:
        raise ServeError(f"pods {path}: {error}") from error


def checked(document: Any) -> Object:
    """The document, if it has known sections only. Raises ServeError."""
    if not isinstance(document, dict) or not document.keys() <= set(SECTIONS):
        raise ServeError(f"write a mapping with some of the sections {', '.join(SECTIONS)}")
    for section, entries in document.items():
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            raise ServeError(f"{section}: write a list of mappings")
    return document


class PodBehaviour:
    """Applies documents. Used on the simulation's thread."""

    def __init__(self, metrics: Metrics, world: World | None) -> None:
        self.document: Object = {}
        self._metrics = metrics
        self._lifecycles: Lifecycles | None = None
        if world is not None:
            self._lifecycles = world.kubelet.lifecycles
            self._lifecycles.default = _usual
        self._handles: list[Handle] = []

    def apply(self, document: Object) -> None:
        """Use this document from now on. Raises ServeError and changes nothing if the document is invalid."""
        checked(document)
        made: list[Handle] = []
        rules: list[tuple[Mapping[str, str], Lifecycle]] = []
        place = ""
        try:
            for section in SECTIONS:
                for at, entry in enumerate(document.get(section, ())):
                    place = f"{section}[{at}]"
                    if section == "lifecycles":
                        rules.append(_lifecycle(entry))
                    else:
                        made.append(self._metric(section, {**entry}))
        except (MetricsError, ValueError, TypeError, KeyError) as error:
            for handle in made:
                handle.stop()
            why = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ServeError(f"{place}: {why}") from error
        if rules and self._lifecycles is None:
            raise ServeError("lifecycles: there is no kubelet that could run pods")
        self._replace(made, rules)
        self.document = document

    def _replace(self, made: list[Handle], rules: list[tuple[Mapping[str, str], Lifecycle]]) -> None:
        for handle in self._handles:
            handle.stop()
        self._handles = made
        for labels, lifecycle in reversed(rules):  # of several that fit, the first in the document counts
            if self._lifecycles is not None:
                self._lifecycles.for_labels(labels, lifecycle)
        if not self.document:
            self._metrics.serve(RESOURCE)

    def _metric(self, section: str, entry: Object) -> Handle:
        metrics = self._metrics
        if section == "loads":
            pods = _selector(entry.pop("pods"))
            used: Object = {name: _usage(entry.pop(name)) for name in ("cpu", "memory") if name in entry}
            return metrics.load(pods, **used, **_plain(entry, "container", "namespace"))
        name, value = entry.pop("metric"), entry.pop("value")
        if section == "external":
            return metrics.external(name, _curve(value), **_plain(entry, "labels", "window", "namespace"))
        more = ("labels", "window", "namespace")
        if "pods" in entry:
            return metrics.pods(name, _selector(entry.pop("pods")), _usage(value), **_plain(entry, *more))
        resource, of = entry.pop("resource"), entry.pop("name")
        return metrics.object(name, resource, of, _curve(value), **_plain(entry, *more))


def _usual(group: Group) -> Lifecycle:
    """Pods of Jobs end; all others run until they are deleted."""
    return Lifecycle(succeeds_after=JOB_DURATION) if _JOB in group.labels else Lifecycle()


def _lifecycle(entry: Object) -> tuple[Mapping[str, str], Lifecycle]:
    rest = {**entry}
    pods = _selector(rest.pop("pods"))
    labels = {"app": pods} if isinstance(pods, str) else pods
    given: Object = {name: tuple(one) if isinstance(one, list) else one for name, one in _plain(rest, *_TIMES).items()}
    return labels, Lifecycle(**given)


def _plain(entry: Object, *names: str) -> Object:
    """The entry, if it has no other fields. Raises ValueError."""
    unknown = sorted(entry.keys() - set(names))
    if unknown:
        raise ValueError(f"there is no field {unknown[0]!r}; the others are {', '.join(sorted(names))}")
    return entry


def _selector(pods: Any) -> str | Mapping[str, str]:
    if isinstance(pods, str) or (isinstance(pods, dict) and pods):
        return pods
    raise ValueError("pods: write the value of their label app, or a mapping of labels")


def _usage(value: Any) -> Usage:
    """The usage of each pod or, with `shared`, of all of them together."""
    if isinstance(value, dict) and value.keys() in ({"shared"}, {"each"}):
        ((way, amount),) = value.items()
        return shared(_curve(amount)) if way == "shared" else each(_curve(amount))
    return each(_curve(value))


def _curve(value: Any) -> Curve:
    """A number, a quantity, or a mapping with the name of a curve and its arguments."""
    if not isinstance(value, dict):
        return curve_of(value)
    if len(value) == 1:
        ((name, arguments),) = value.items()
        if name == "recorded":
            return recorded(str(arguments))
        if name in _CURVES and isinstance(arguments, list):
            return _CURVES[name](*(tuple(one) if isinstance(one, list) else one for one in arguments))
    raise ValueError(f"{value!r} is no amount: write a number, a quantity, or one of steps, ramp, daily, recorded")

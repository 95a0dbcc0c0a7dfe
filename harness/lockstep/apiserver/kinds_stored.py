"""Built-in kinds on which no component here acts: they are stored, served and watched, and nothing else.

Clients of a real cluster expect them: kubectl's `api-resources`, the informers of controllers. The served cluster adds
them to those of `kinds`; runs in memory do not have them. Only their metadata and types are checked.
"""

from __future__ import annotations

from lockstep.apiserver.builtin.resources import Resource, resources
from lockstep.apiserver.kinds import BUILT_IN, Kind, published

#: Resources with a generation (PrepareForCreate of each strategy).
_COUNTED = frozenset(
    {
        "apiservices",
        "deviceclasses",
        "endpointslices",
        "flowschemas",
        "ingressclasses",
        "ingresses",
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicybindings",
        "networkpolicies",
        "podtemplates",
        "priorityclasses",
        "prioritylevelconfigurations",
        "resourceslices",
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
    }
)
#: Another way to bind pods, and kinds that have long been deprecated.
_LEFT_OUT = frozenset({"bindings", "componentstatuses"})


def _stored(resource: Resource) -> Kind:
    asked_only = resource.verbs == ("create",)
    return published(resource, generation=resource.plural in _COUNTED, asked_only=asked_only)


_ACTED_ON = frozenset((kind.group, kind.version, kind.plural) for kind in BUILT_IN)
STORED: tuple[Kind, ...] = tuple(
    _stored(resource)
    for key, resource in resources().items()
    if key not in _ACTED_ON and resource.plural not in _LEFT_OUT
)

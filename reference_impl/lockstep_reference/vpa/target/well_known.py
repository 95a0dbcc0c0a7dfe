"""Kinds of controllers that VPA knows by heart (pkg/target/fetcher.go, controller_fetcher.go: wellKnownController)."""

from __future__ import annotations

from collections.abc import Mapping

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.discovery import DiscoveryErrors
from lockstep_reference.machinery.informer import SharedInformer, SharedInformerFactory
from lockstep_reference.machinery.restmapper import NoMatchError
from lockstep_reference.machinery.scale import ScaleError
from lockstep_reference.machinery.store import Object

#: Resource and API version by kind. The apiVersion of a reference is not looked at: the kind's name decides.
_RESOURCES: Mapping[str, tuple[str, str]] = {
    "DaemonSet": ("daemonsets", "apps/v1"),
    "Deployment": ("deployments", "apps/v1"),
    "ReplicaSet": ("replicasets", "apps/v1"),
    "StatefulSet": ("statefulsets", "apps/v1"),
    "ReplicationController": ("replicationcontrollers", "v1"),
    "Job": ("jobs", "batch/v1"),
    "CronJob": ("cronjobs", "batch/v1"),
}
#: How often a RESTMapper forgets what it knows, in nanoseconds (discoveryResetPeriod).
DISCOVERY_RESET_PERIOD = 300 * SECOND
#: What can go wrong when a kind is looked up, or a scale read.
ScaleErrors = (ApiError, OSError, ScaleError, NoMatchError, *DiscoveryErrors)


class TargetError(Exception):
    """A targetRef that leads nowhere; the text is upstream's, and ends up in conditions."""


class Informers:
    """The caches of all well-known kinds, from a factory that others share."""

    def __init__(self, factory: SharedInformerFactory) -> None:
        self._informers: dict[str, SharedInformer] = {
            kind: factory.for_resource(plural, group_version) for kind, (plural, group_version) in _RESOURCES.items()
        }

    def __contains__(self, kind: str) -> bool:
        """Whether the kind is well known."""
        return kind in self._informers

    def get(self, kind: str, namespace: str, name: str) -> Object:
        """The object, of a well-known kind. Raises TargetError if the cache has none of that name."""
        found = self._informers[kind].indexer.get_by_key(f"{namespace}/{name}")
        if found is None:
            raise TargetError(f"{kind} {namespace}/{name} does not exist")
        return found


def group_of(api_version: str) -> str:
    """The group of an apiVersion (schema.ParseGroupVersion). Raises TargetError."""
    if api_version in ("", "/"):
        return ""
    if api_version.count("/") > 1:
        raise TargetError(f"unexpected GroupVersion string: {api_version}")
    return api_version.rpartition("/")[0]

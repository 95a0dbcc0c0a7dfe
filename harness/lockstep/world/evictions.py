"""What a kubelet reports about a pod that it evicts because its node runs short of a resource.

From pkg/kubelet/eviction/helpers.go (evictionMessage). Thresholds are not simulated, so the message does not give them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep.time.clock import EPOCH_NS, rfc3339
from lockstep.wire.quantity import BINARY_SI, Quantity, read_quantity
from lockstep.world.api import Object

EVICTED = "Evicted"


@dataclass(frozen=True, slots=True)
class Eviction:
    """The message, and the annotations of its event."""

    message: str
    annotations: Mapping[str, str]

    def event(self, pod: Object, node: str, now: int) -> tuple[str, Object]:
        """Where the event goes, and the event, as client-go's recorder makes it."""
        meta = pod["metadata"]
        moment = rfc3339(now)
        subject = {
            "kind": "Pod",
            "namespace": meta["namespace"],
            "name": meta["name"],
            "uid": meta["uid"],
            "apiVersion": "v1",
            "resourceVersion": meta["resourceVersion"],
        }
        name = f"{meta['name']}.{EPOCH_NS + now:x}"
        event = {
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": {"name": name, "namespace": meta["namespace"], "annotations": dict(self.annotations)},
            "involvedObject": subject,
            "reason": EVICTED,
            "message": self.message,
            "source": {"component": "kubelet", "host": node},
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": 1,
            "type": "Warning",
            "eventTime": None,
            "reportingComponent": "kubelet",
            "reportingInstance": node,
        }
        return f"/api/v1/namespaces/{meta['namespace']}/events", event


def eviction_of(pod: Object, resource: str, usage: Mapping[str, int | str]) -> Eviction:
    """The eviction of a pod whose containers use so much (bytes or a quantity). Those above their requests are named in
    the message.
    """
    containers = [*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())]
    requests = {one["name"]: ((one.get("resources") or {}).get("requests") or {}).get(resource) for one in containers}
    message = f"The node was low on resource: {resource}. "
    offending: dict[str, str] = {}
    for name, used in usage.items():
        if name not in requests:
            known = ", ".join(requests)
            raise ValueError(f"pod {pod['metadata']['name']} has no container {name!r}; it has {known}")
        request = requests[name] or "0"
        amount = read_quantity(used)
        if amount.compare(read_quantity(request)) > 0:
            offending[name] = str(Quantity(int(amount.exact()), 0, BINARY_SI))
            message += f"Container {name} was using {offending[name]}, request is {request}, "
            message += f"has larger consumption of {resource}. "
    annotations = {
        "offending_containers": ",".join(offending),
        "offending_containers_usage": ",".join(offending.values()),
        "starved_resource": resource,
    }
    return Eviction(message, annotations)

"""What one client gets done in a second, on each API server."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from lockstep.quality.bench.servers import Server
from lockstep.quality.bench.stores import pod

NAMESPACE = "default"
_MERGE = "application/strategic-merge-patch+json"
#: Requests that `life_of_pods` makes for each pod.
REQUESTS = 6


def named_pod(name: str) -> dict[str, Any]:
    """A pod like those of a controller, with a name, and without an owner that a garbage collector would look for."""
    made = pod()
    made["metadata"] = {"name": name, "labels": made["metadata"]["labels"]}
    return made


def life_of_pods(one: Server, count: int) -> Callable[[], None]:
    """Work on `count` pods, one after the other: create, get, patch, status patch, list and delete of each."""
    core = importlib.import_module("kubernetes.client").CoreV1Api(one.client)

    def live() -> None:
        for number in range(count):
            name = f"bench-{number}"
            _read(core.create_namespaced_pod, NAMESPACE, named_pod(name))
            _read(core.read_namespaced_pod, name, NAMESPACE)
            label = {"metadata": {"labels": {"number": str(number)}}}
            _read(core.patch_namespaced_pod, name, NAMESPACE, label, _content_type=_MERGE)
            running = {"status": {"phase": "Running"}}
            _read(core.patch_namespaced_pod_status, name, NAMESPACE, running, _content_type=_MERGE)
            _read(core.list_namespaced_pod, NAMESPACE, label_selector=f"number={number}")
            _read(core.delete_namespaced_pod, name, NAMESPACE, grace_period_seconds=0)

    return live


def _read(call: Callable[..., Any], *arguments: Any, **options: Any) -> bytes:
    """The JSON of an answer; the client raises ApiException for a refusal."""
    answer = call(*arguments, **options, _preload_content=False)
    content: bytes = answer.data
    answer.release_conn()
    return content

"""Autoscalers for tests: paths, short spellings, and what a request about one is answered."""

from __future__ import annotations

from typing import Any

from tests.apiserver.kit import Client

V1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
V2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
TARGET = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}


def hpa(spec: dict[str, Any] | None = None, version: str = "v2", **metadata: Any) -> dict[str, Any]:
    """An autoscaler of `web` with at most 5 replicas; `spec` changes or adds fields, None takes one out."""
    fields = {"scaleTargetRef": TARGET, "maxReplicas": 5, **(spec or {})}
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", **metadata},
        "spec": {key: item for key, item in fields.items() if item is not None},
    }


def resource(name: str = "cpu", **target: Any) -> dict[str, Any]:
    """A Resource metric."""
    kind = "Utilization" if "averageUtilization" in target else "AverageValue"
    return {"type": "Resource", "resource": {"name": name, "target": {"type": kind, **target}}}


def metric(kind: str, **parts: Any) -> dict[str, Any]:
    """A metric of a kind whose source is made of `parts`."""
    return {"type": kind, kind[0].lower() + kind[1:]: parts}


def refused(client: Client, body: dict[str, Any], path: str = V2) -> list[str]:
    """What a create is refused for: one text per finding, or the message of another refusal."""
    reply = client.call("POST", path, body)
    assert reply.status in (400, 422), reply.body
    assert reply.body is not None
    causes = reply.body.get("details", {}).get("causes")
    if causes is None:
        return [reply.body["message"]]
    return [f"{cause['field']}: {cause['message']}" for cause in causes]

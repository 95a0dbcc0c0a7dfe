"""Writes to the subresources of one pod: part of `lockstep.scenarios.cluster.Cluster`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

Object = dict[str, Any]


class PodVerbs:
    """Writes about pods."""

    @abstractmethod
    def path(self, resource: str, name: str = "", namespace: str = "default") -> str:
        """The URL path of an object."""

    @abstractmethod
    async def _write(
        self, method: str, path: str, body: Any, content_type: str = "application/json", query: Mapping[str, str] = {}
    ) -> Object:
        """Send a write as one step of the world. Raises ApiFailure if refused."""

    async def evict(self, name: str, namespace: str = "default", **options: Any) -> Object:
        """Evict a pod. Raises ApiFailure 429 if a disruption budget does not allow it; `options` are DeleteOptions."""
        body: Object = {"apiVersion": "policy/v1", "kind": "Eviction"}
        body["metadata"] = {"name": name, "namespace": namespace}
        if options:
            body["deleteOptions"] = options
        return await self._write("POST", f"{self.path('pods', name, namespace)}/eviction", body)

    async def resize(
        self,
        name: str,
        container: str = "main",
        *,
        requests: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
        namespace: str = "default",
    ) -> Object:
        """Set requests and limits of one container of a pod; those that are not named stay."""
        sides = {"requests": requests, "limits": limits}
        resources = {side: dict(amounts) for side, amounts in sides.items() if amounts is not None}
        body = {"spec": {"containers": [{"name": container, "resources": resources}]}}
        path = f"{self.path('pods', name, namespace)}/resize"
        return await self._write("PATCH", path, body, "application/strategic-merge-patch+json")

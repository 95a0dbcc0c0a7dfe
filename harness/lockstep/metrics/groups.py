"""The metrics API groups as the API server sees them: whether they exist, whether they are available, and their
versions.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lockstep.apiserver import errors
from lockstep.apiserver.messages import Reply, Request, TextReply
from lockstep.apiserver.routing import Place
from lockstep.metrics.edits import AnswerEdit
from lockstep.metrics.handles import Handle, Handles, MetricsError

RESOURCE = "metrics.k8s.io"
CUSTOM = "custom.metrics.k8s.io"
EXTERNAL = "external.metrics.k8s.io"
#: The versions that exist, in the order in which a group serves them by default.
VERSIONS: dict[str, tuple[str, ...]] = {
    RESOURCE: ("v1beta1",),
    CUSTOM: ("v1beta2", "v1beta1"),
    EXTERNAL: ("v1beta1",),
}
#: A version that only a newer server has: discovery lists it, and no client requests it.
FUTURE = "v1"


class Backend(Protocol):
    """Answers the requests for one group."""

    def resources(self) -> list[dict[str, Any]]:
        """Its APIResource entries, in order of their names."""

    def answer(self, request: Request, place: Place) -> dict[str, Any]:
        """The document for a GET. Raises ApiError."""


class ApiGroup:
    """One group (`lockstep.apiserver.aggregation.AggregatedApi`)."""

    def __init__(self, name: str, backend: Backend, now: Callable[[], int]) -> None:
        self.name = name
        self.versions: Sequence[str] = VERSIONS[name]
        self.outages: Handles[Handle] = Handles()
        self.edits: Handles[AnswerEdit] = Handles()
        self._backend = backend
        self._now = now

    def use(self, versions: Sequence[str]) -> None:
        """Serve these versions, the preferred one first. Raises MetricsError if one is named twice."""
        if len(set(versions)) < len(versions):
            raise MetricsError(f"{self.name}: a version is named twice in {', '.join(versions)}")
        self.versions = tuple(versions) or VERSIONS[self.name]

    @property
    def available(self) -> bool:
        """Whether no outage holds now."""
        return not (self.outages and self.outages.holding(self._now()))

    def resources(self, version: str) -> list[dict[str, Any]] | None:
        """The APIResource entries; None for a version that discovery lists but no backend has."""
        return self._backend.resources() if version in (*VERSIONS[self.name], FUTURE) else None

    def serve(self, request: Request, place: Place) -> Reply:
        """Answer a request."""
        if place.version not in VERSIONS[self.name]:
            raise errors.unknown_path()
        if request.method != "GET" or request.query.get("watch") in ("true", "1"):
            raise errors.method_not_allowed()
        document: Any = self._backend.answer(request, place)
        if self.edits:
            return self._edited(document)
        return Reply(200, document)

    def _edited(self, document: Any) -> Reply:
        for one in self.edits.holding(self._now()):
            document = one.edit(copy.deepcopy(document))
        return TextReply(200, document, "application/json") if isinstance(document, str) else Reply(200, document)

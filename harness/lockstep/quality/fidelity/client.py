"""The raw client that scenarios use: requests by path, and a transcript of all that goes over the wire.

Each run has a namespace and a *token* of its own, so that runs do not conflict on a shared server. The names of objects
outside of that namespace (definitions, other namespaces) begin with the token.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Any
from urllib.parse import urlencode

import orjson

from lockstep.apiserver.builtin.resources import resources
from lockstep.quality.fidelity.transcript import Step, Transcript
from lockstep.quality.fidelity.wire import Answer, Call, FidelityError, Stream, Transport

#: Media types of patches, by the short names that scenarios use.
PATCHES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
_HOME_OF: dict[str, str] = {}
for _group, _version, _plural in resources():
    _HOME_OF.setdefault(_plural, f"apis/{_group}/{_version}" if _group else f"api/{_version}")
_CLUSTER_WIDE = frozenset(one.plural for one in resources().values() if not one.namespaced)
_PATIENCE = 10.0
_READY_AFTER = 0.02


class Watched:
    """A watch that a scenario has opened. The events that it reads are part of the transcript."""

    def __init__(self, api: Api, number: int, stream: Stream | None) -> None:
        self._api = api
        self._number = number
        self._stream = stream

    def take(self, count: int) -> list[dict[str, Any]]:
        """Read `count` events, or as many as arrive."""
        events = self._stream.take(count) if self._stream is not None else []
        self._note(events)
        return events

    def finish(self, expected: int = 0) -> None:
        """Read the remaining events, and end the watch. It waits until there are `expected` events."""
        if self._stream is not None:
            events = [*self._stream.take(expected), *self._stream.rest()]
            self._note([*events, *([{"type": "end of the watch"}] if self._stream.ended() else [])])
            self._stream.close()
        self._stream = None

    def _note(self, events: list[dict[str, Any]]) -> None:
        self._api.transcript.steps.append(Step(f"watch {self._number}", body=events, at=self._api.transport.now()))


class Api:
    """Sends requests to one server, in the name of one run. `token` makes the run's names unique on the server."""

    def __init__(self, transport: Transport, token: str) -> None:
        self.transport = transport
        self.token = token
        self.namespace = f"{token}-home"
        self.transcript = Transcript(names={token: "TOKEN"})
        self._watches: list[Watched] = []
        self._made: list[str] = []

    # -- paths --------------------------------------------------------------------------------------------------------

    def to(self, plural: str, name: str = "", subresource: str = "", *, namespace: str | None = None) -> str:
        """The path of a resource: of a collection, an object, or a subresource. `namespace` "": all of them."""
        home = _HOME_OF[plural]
        return self._path(home, plural, "" if plural in _CLUSTER_WIDE else namespace, name, subresource)

    def to_custom(self, group_version: str, plural: str, name: str = "", subresource: str = "") -> str:
        """The path of a custom resource in the run's namespace."""
        return self._path(f"apis/{group_version}", plural, None, name, subresource)

    def _path(self, home: str, plural: str, namespace: str | None, name: str, subresource: str) -> str:
        place = self.namespace if namespace is None else namespace
        parts = [home, *(["namespaces", place] if place else []), plural, name, subresource]
        return "/" + "/".join(part for part in parts if part)

    # -- requests -----------------------------------------------------------------------------------------------------

    def get(self, path: str, **query: str) -> Answer:
        """GET."""
        return self.request("GET", path, query=query)

    def post(self, path: str, body: Any, **query: str) -> Answer:
        """POST of JSON."""
        return self.request("POST", path, body, query=query)

    def put(self, path: str, body: Any, **query: str) -> Answer:
        """PUT of JSON."""
        return self.request("PUT", path, body, query=query)

    def patch(self, path: str, body: Any, kind: str = "merge", **query: str) -> Answer:
        """PATCH; `kind` is one of PATCHES."""
        return self.request("PATCH", path, body, query=query, media=PATCHES[kind])

    def delete(self, path: str, options: Any = None, **query: str) -> Answer:
        """DELETE, with DeleteOptions as its body if there are any."""
        return self.request("DELETE", path, options, query=query)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        media: str = "application/json",
        accept: str = "",
    ) -> Answer:
        """Any request. A `body` of bytes is sent as it is, anything else as JSON."""
        call = self._call(method, path, body, query or {}, media, accept)
        at = self.transport.now()
        answer = self.transport.send(call)
        self._note(call, body, answer, at)
        return answer

    def watch(self, path: str, **query: str) -> Watched:
        """Open a watch. A refusal is recorded as the answer, and the watch then has no events."""
        call = self._call("GET", path, None, {"watch": "true", **query}, "application/json", "")
        at = self.transport.now()
        found = self.transport.watch(call)
        refusal = found if isinstance(found, Answer) else None
        self._note(call, None, refusal or Answer(200, None), at)
        watched = Watched(self, len(self._watches) + 1, None if isinstance(found, Answer) else found)
        self._watches.append(watched)
        return watched

    def compact(self) -> None:
        """Have the server discard all versions but the current one."""
        self.transport.compact()

    @staticmethod
    def _call(method: str, path: str, body: Any, query: Mapping[str, str], media: str, accept: str) -> Call:
        data = body if isinstance(body, bytes) else None if body is None else orjson.dumps(body)
        headers = {**({"Content-Type": media} if data is not None else {}), **({"Accept": accept} if accept else {})}
        return Call(method, f"{path}?{urlencode(query)}" if query else path, data, headers)

    def _note(self, call: Call, body: Any, answer: Answer, at: float) -> None:
        sent = body.decode(errors="replace") if isinstance(body, bytes) else body
        media = call.headers.get("Content-Type", "").removeprefix("application/")
        kind = f" ({media})" if media not in ("", "json") else ""
        title = f"{call.method}{kind} {call.target}"
        step = Step(title, sent, answer.code, answer.body, dict(answer.headers), at)
        self.transcript.steps.append(step)

    # -- preparations, which are not part of the transcript ----------------------------------------------------------

    def begin(self) -> None:
        """Create the run's namespace."""
        self.prepare("POST", self.to("namespaces"), {"metadata": {"name": self.namespace}})

    def prepare(self, method: str, path: str, body: Any = None) -> Any:
        """A request that must succeed and is not recorded. Returns the answer's body. Raises FidelityError."""
        answer = self.transport.send(self._call(method, path, body, {}, "application/json", ""))
        if answer.code >= 300:
            raise FidelityError(f"{method} {path}, which prepares a scenario, was refused: {answer.code} {answer.body}")
        if method == "POST" and isinstance(answer.body, dict):
            self._made.append(f"{path}/{answer.body['metadata']['name']}")
        return answer.body

    def define(self, definition: dict[str, Any]) -> None:
        """Create a CustomResourceDefinition and wait until its kinds are served. Raises FidelityError."""
        self.prepare("POST", self.to("customresourcedefinitions"), definition)
        spec = definition["spec"]
        for version in spec["versions"]:
            path = f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"
            self._wait_for(path, served=version.get("served", True))

    def remove_definition(self, name: str, path: str) -> None:
        """Delete a CustomResourceDefinition and wait until its collection `path` is no longer served."""
        self.prepare("DELETE", self.to("customresourcedefinitions", name))
        self._wait_for(path, served=False)

    def _wait_for(self, path: str, *, served: bool) -> None:
        deadline = time.monotonic() + _PATIENCE
        while (self.transport.send(Call("GET", path)).code == 200) is not served:
            if time.monotonic() > deadline:
                raise FidelityError(f"{path} is still not served {_PATIENCE:.0f} s after its definition was made")
            time.sleep(_READY_AFTER)

    def finish(self, expected: Sequence[int] = ()) -> Transcript:
        """Read the watches to their end, and return the transcript. `expected`: the number of events of each watch."""
        for watched, count in zip(self._watches, chain(expected, repeat(0)), strict=False):
            watched.finish(count)
        return self.transcript

    def clean_up(self) -> None:
        """Delete what the run has created outside of its namespace, and the namespace."""
        for path in reversed(self._made):
            self.transport.send(Call("DELETE", path))

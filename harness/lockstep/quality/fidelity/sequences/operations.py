"""The operations of a sequence, as data, so that they can be drawn, shrunk, shown and carried out on any server.

An operation names objects by kind and name, and versions by their age, so it refers to what the same server has
answered before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lockstep.quality.fidelity.client import Api
from lockstep.quality.fidelity.wire import Answer

FRESH, STALE, ZERO, NONE = "fresh", "stale", "zero", "none"


@dataclass(frozen=True, slots=True)
class Operation:
    """One request. `version`: which version of the object the request names; `kind`: of a patch."""

    verb: str
    plural: str
    name: str = ""
    subresource: str = ""
    body: Any = None
    version: str = NONE
    kind: str = "merge"
    query: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        parts = [self.verb, "/".join(part for part in (self.plural, self.name, self.subresource) if part)]
        parts += [f"{key}={value}" for key, value in self.query]
        if self.verb == "patch":
            parts.append(self.kind)
        if self.version != NONE:
            parts.append(f"version={self.version}")
        return " ".join([*parts, *([str(self.body)] if self.body is not None else [])])


@dataclass(slots=True)
class Run:
    """One sequence on one server."""

    api: Api
    #: The versions that have been seen of each object, oldest first.
    seen: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def carry_out(self, operation: Operation) -> None:
        """Send the request, and record the version that it gave the object."""
        answer = self._send(operation)
        if answer is None or not isinstance(answer.body, dict) or answer.code >= 300:
            return
        version = (answer.body.get("metadata") or {}).get("resourceVersion")
        if operation.name and version:
            self.seen.setdefault((operation.plural, operation.name), []).append(version)
        if operation.verb == "create" and version:
            name = operation.body["metadata"]["name"]
            self.seen.setdefault((operation.plural, name), []).append(version)

    def _send(self, one: Operation) -> Answer | None:
        api, query = self.api, dict(one.query)
        path = api.to(one.plural, one.name, one.subresource)
        if one.verb == "watch":
            version = self._version(one)
            api.watch(path, **query, **({"resourceVersion": version} if version else {}))
            return None
        if one.verb in ("get", "list"):
            return api.get(path, **query)
        if one.subresource == "scale":
            return self._send_scale(one, path, query)
        return self._write(one, path, query)

    def _write(self, one: Operation, path: str, query: dict[str, str]) -> Answer:
        if one.verb == "create":
            return self.api.post(path, one.body, **query)
        if one.verb == "put":
            return self.api.put(path, self._with_version(one), **query)
        if one.verb == "patch":
            body = one.body if isinstance(one.body, list) else self._with_version(one)
            return self.api.patch(path, body, one.kind, **query)
        return self.api.delete(path, self._options(one), **query)

    def _send_scale(self, one: Operation, path: str, query: dict[str, str]) -> Answer:
        """A scale that changes nothing gets a new version for its owner alone, which only a real server notes."""
        now = self.api.get(path)
        if now.code == 200 and now.body["spec"].get("replicas", 0) == one.body["spec"]["replicas"]:
            return now
        return self.api.patch(path, self._with_version(one), one.kind, **query)

    def _version(self, one: Operation) -> str:
        if one.version == ZERO:
            return "0"
        known = self.seen.get((one.plural, one.name or "a"), [])
        if one.version == NONE or not known:
            return ""
        return known[-1] if one.version == FRESH else known[0]

    def _with_version(self, one: Operation) -> Any:
        version = self._version(one)
        if not version:
            return one.body
        return {**one.body, "metadata": {**(one.body.get("metadata") or {}), "resourceVersion": version}}

    def _options(self, one: Operation) -> Any:
        version = self._version(one)
        if not version:
            return one.body
        return {**(one.body or {}), "preconditions": {"resourceVersion": version}}

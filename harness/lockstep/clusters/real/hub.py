"""The hub: one watch of each kind for all tenants. It updates their mirrors."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

import orjson

from lockstep.apiserver.routing import path_to
from lockstep.clusters.real.connection import ClusterError, Connection
from lockstep.clusters.real.tenant import owner_of
from lockstep.clusters.real.webhook_names import RESOURCES
from lockstep.http import Answer, NoAnswer, Stream

if TYPE_CHECKING:
    from lockstep.apiserver.kinds import Kind

#: Seconds for a thread to end.
_PATIENCE = 5.0
_OBJECT = b'"object":'


class Listener(Protocol):
    """A tenant, as the hub sees it. Its methods may be called by any thread."""

    def notice(self, kind: Kind, event: str, raw: bytes) -> None:
        """An event about an object that the tenant may see; `raw` is the object, as the real cluster has it."""

    def lose(self, reason: str) -> None:
        """The cluster is gone, or the runs are abandoned: the tenant's run ends."""


class Hub:
    """Follows `kinds` on a real cluster. `start` it before the first tenant joins, `stop` it at the end."""

    def __init__(self, connection: Connection, kinds: Iterable[Kind]) -> None:
        self._connection = connection
        self._kinds = list(kinds)
        self._tenants: dict[str, Listener] = {}
        self._streams: dict[str, Stream] = {}
        self._stopping = False
        #: Why new tenants are too late; "" if they are not.
        self._lost = ""
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to follow. Raises ClusterError if the cluster does not answer."""
        for kind in self._kinds:
            version = self._list(kind)
            if version:
                thread = threading.Thread(
                    target=self._follow, args=(kind, version), name=f"lockstep-hub-{kind.plural}", daemon=True
                )
                self._threads.append(thread)
                thread.start()

    def stop(self) -> None:
        """End all watches."""
        self._stopping = True
        for stream in list(self._streams.values()):
            stream.close()
        for thread in self._threads:
            thread.join(_PATIENCE)

    def join(self, prefix: str, tenant: Listener) -> None:
        """Send this tenant its events from now on."""
        self._tenants[prefix] = tenant
        if self._lost:
            tenant.lose(self._lost)

    def leave(self, prefix: str) -> None:
        """Send this tenant no more events."""
        self._tenants.pop(prefix, None)

    def lose(self, reason: str) -> None:
        """Any thread: end the runs of all tenants, including later ones, because the cluster is gone."""
        self._lost = reason
        for tenant in list(self._tenants.values()):
            tenant.lose(reason)

    # -- on threads of the hub ----------------------------------------------------------------------------------------

    def _list(self, kind: Kind) -> str:
        """The version from which to watch; "" if the cluster does not have this kind."""
        answer = self._connection.ask("GET", path_to(kind), {"limit": "1"})
        if answer.status == 404:
            return ""
        if answer.status != 200:
            raise ClusterError(f"{self._connection.host} refused to list {kind.resource}: {answer.words}")
        return str(orjson.loads(answer.body)["metadata"]["resourceVersion"])

    def _follow(self, kind: Kind, version: str) -> None:
        while not self._stopping:
            query: Mapping[str, str] = {"watch": "true", "resourceVersion": version, "allowWatchBookmarks": "true"}
            try:
                stream = self._connection.watch(path_to(kind), query)
                if isinstance(stream, Answer):
                    version = self._list(kind)
                    continue
            except (NoAnswer, ClusterError) as gone:
                if not self._stopping:
                    self.lose(f"the watch of {kind.resource} cannot be opened again: {gone}")
                return
            self._streams[kind.resource] = stream
            for line in stream:
                event = orjson.loads(line)
                if event["type"] == "ERROR":
                    break
                version = event["object"]["metadata"]["resourceVersion"]
                if event["type"] != "BOOKMARK":
                    self._pass_on(kind, event["type"], event["object"], line)

    def _pass_on(self, kind: Kind, event: str, one: Mapping[str, Mapping[str, str]], line: bytes) -> None:
        meta = one["metadata"]
        prefix = owner_of(meta.get("namespace") or meta["name"])
        raw = line[line.index(_OBJECT) + len(_OBJECT) : line.rindex(b"}")]
        if prefix:
            tenants = [self._tenants[prefix]] if prefix in self._tenants else []
        elif "namespace" in meta or kind.plural in RESOURCES:
            tenants = []  # objects of others, which are not ours to follow
        else:
            tenants = list(self._tenants.values())
        for tenant in tenants:
            tenant.notice(kind, event, raw)

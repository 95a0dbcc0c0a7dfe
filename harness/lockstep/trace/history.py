"""The history of a run: every mutating API request, in the order of the answers, and the reads that show a sync.

A history is written by the server's observers and only ever grows. Everything that judges a run (normalisation,
comparison, invariants) is a pure function of it. So a saved history can be judged again without a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lockstep.controllers.options import Options

_OK, _ERROR = 200, 400


class Write(NamedTuple):
    """One mutating request and its result. The objects are the stored ones: they are shared, so never change them."""

    #: Instant of the answer: nanoseconds since the virtual epoch.
    at: int
    #: Who sent it: "scenario", "kubelet", "replicaset-controller" ...
    actor: str
    #: "create", "update", "patch", "delete" or "deletecollection".
    verb: str
    #: The plural, with its group unless that is the core one: "pods", "replicasets.apps".
    resource: str
    #: "status", "scale", "eviction" ...; "" for the object itself.
    subresource: str
    namespace: str
    #: The final name, given or generated; "" if the request failed before there was one.
    name: str
    #: HTTP status code of the answer; 0 if the connection broke before there was one.
    code: int
    #: Reason of the Status that answered a failed request; "" on success.
    reason: str
    #: The stored object before and after; `after` is None if the object is gone or the request failed.
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    #: The request's body as sent.
    body: Any = None
    #: Message of the Status that answered a failed request; "" on success.
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether the actor got any answer but success."""
        return not _OK <= self.code < _ERROR


class Read(NamedTuple):
    """One request of a controller that changes nothing, recorded because it shows that the controller was at work."""

    #: Instant at which it reached the network: nanoseconds since the virtual epoch.
    at: int
    actor: str
    resource: str
    subresource: str
    namespace: str
    name: str
    #: How many writes the history had at that time.
    writes: int


class History:
    """An append-only list of writes. `controllers` names the actors under test; all others belong to the world.

    `options` is the configuration of the controllers; None: unknown, as for a history from a file.
    """

    def __init__(
        self,
        controllers: Iterable[str] = (),
        writes: Iterable[Write] = (),
        reads: Iterable[Read] = (),
        options: Options | None = None,
    ) -> None:
        self.options = options
        self.controllers: frozenset[str] = frozenset(controllers)
        self._writes: list[Write] = list(writes)
        #: Reads of the actors under test, in order; see `Read`.
        self.reads: list[Read] = list(reads)

    def record(self, write: Write) -> None:
        """Append one write. Register this with `ApiServer.observers`."""
        self._writes.append(write)

    def record_read(self, at: int, actor: str, resource: str, subresource: str, namespace: str, name: str) -> None:
        """Append one read. Register this with `Network.scale_observers`."""
        self.reads.append(Read(at, actor, resource, subresource, namespace, name, len(self._writes)))

    def under_test(self, write: Write) -> bool:
        """Whether an actor under test made this write."""
        return write.actor in self.controllers

    def __iter__(self) -> Iterator[Write]:
        return iter(self._writes)

    def __len__(self) -> int:
        return len(self._writes)

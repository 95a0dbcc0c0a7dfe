"""A real API server, seen by one tenant through the interface of the in-memory one.

Reads and watches of the world and of the scenario are answered by the mirror. Their writes, and every request of a
controller under test, go to the real server. A request of a controller never blocks the others: its answer comes later,
like that of a request that waits for a webhook (`ApiServer.follow_up`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lockstep.apiserver import ApiServer, Reply, Request, WatchEvent
from lockstep.apiserver.admission import definitions
from lockstep.apiserver.messages import TextReply
from lockstep.apiserver.routing import parse_path, path_to
from lockstep.apiserver.webhooks import mutating
from lockstep.apiserver.webhooks.reviews import Outcome, Review
from lockstep.clusters.real.connection import Connection
from lockstep.clusters.real.definitions import PATH
from lockstep.clusters.real.discovery import with_groups
from lockstep.clusters.real.mirror import Mirror, MirroredCollection
from lockstep.clusters.real.streams import RemoteWatch, pump
from lockstep.clusters.real.tenant import Tenant
from lockstep.http import Answer, NoAnswer
from lockstep.network.target import Target, target_of
from lockstep.scenarios.cluster import ClusterLost
from lockstep.trace.history import Write

if TYPE_CHECKING:
    from lockstep.apiserver.kinds import Kind
    from lockstep.serving.boxes import Inbox

#: Subresources whose answer is not the object that they change.
_INDIRECT = frozenset({"scale", "eviction", "binding"})
#: The list of API groups.
_GROUPS = "/apis"
_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
#: Groups that the in-memory server answers from load models.
METRIC_GROUPS = frozenset({"metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"})
_LATER = Review("", ("", ""), "", "", 0, "", {})
_READING = frozenset({"get", "list", "watch"})
#: Operations that webhooks review, as their rules name them.
_OPERATIONS = {"create": "CREATE", "update": "UPDATE", "patch": "UPDATE"}


class _Later(Reply):
    """No reply yet: the request is in flight."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0, None)
        self.review = _LATER


class RemoteReply(Reply):
    """The real server's answer: as bytes, and (`body`) as data."""

    __slots__ = ("sent",)

    def __init__(self, status: int, body: Any, sent: bytes, headers: Mapping[str, str]) -> None:
        super().__init__(status, body, headers=headers)
        self.sent = sent

    def raw(self) -> bytes:
        """The bytes as received."""
        return self.sent


class RemoteServer(ApiServer):
    """See the module docstring.

    `controllers`: the actors whose requests never block; `workers` sends them. `aggregated`: whether the cluster
    forwards requests for metrics to us.
    """

    def __init__(
        self,
        now: Callable[[], int],
        connection: Connection,
        tenant: Tenant,
        inbox: Inbox,
        workers: Executor,
        controllers: frozenset[str],
        feature_gates: Mapping[str, bool],
        *,
        aggregated: bool = False,
    ) -> None:
        self._attached = False
        self._aggregated = aggregated
        super().__init__(now, feature_gates=feature_gates)
        self.state.use(MirroredCollection)
        self.state.after_write = [definitions.after_write, mutating.after_write]
        self.tenant = tenant
        self._connection = connection
        self._inbox = inbox
        self._workers = workers
        self._controllers = controllers
        self._mirror = Mirror(self.state)
        #: By resource, namespace and name: objects that only controllers have seen so far.
        self._seen_by_controllers: dict[tuple[str, str, str], dict[str, Any]] = {}
        #: Requests of controllers that have no answer yet.
        self.in_flight = 0
        #: Instant of the last request, answer or event.
        self.last_news = 0
        self._streams: set[RemoteWatch] = set()
        self._attached = True
        #: Called with the real name of a new namespace: waits until pods can be created in it.
        self.furnish: Callable[[str], None] = lambda _: None

    # -- the interface of the in-memory server ------------------------------------------------------------------------

    def handle(self, request: Request) -> Reply:
        """Answer from the mirror or from the real server. A controller's answer comes later."""
        if not self._attached:
            return super().handle(request)
        target = target_of(request)
        if request.actor in self._controllers:
            return super().handle(request) if self._is_local(request.path) else _Later()
        if target.verb in _READING or target.resource == "prometheus":
            return super().handle(request)
        if self._is_reviewed(target):
            return _Later()  # the server asks us about this write, and we could not answer while we wait
        before = self._before(target)
        reply = self._conclude(request, target, before, self._send(request))
        if target.resource == _DEFINITIONS and reply.status in (201, 409):
            super().handle(request)  # the mirror knows this kind from now on
        if target.resource == "namespaces" and target.verb == "create" and reply.status == 201:
            self.furnish(self.tenant.prefix + request.body["metadata"]["name"])
        return reply

    def follow_up(self, request: Request, reply: Reply, answer: Callable[[Reply], None]) -> None:
        """Call `answer` with the reply, as soon as there is one."""
        if not isinstance(reply, _Later):
            answer(reply)
            return
        target = target_of(request)
        before = self._before(target)
        self.in_flight += 1
        self.last_news = self.state.now()

        def work() -> None:
            job = self._open_watch if target.verb == "watch" else self._send
            try:
                came = job(request)
            except Exception as problem:  # nothing else would report an exception in a thread
                came = Answer(0, str(problem).encode())
            self._inbox.put(partial(conclude, came))

        def conclude(came: Answer | RemoteWatch) -> None:
            self.in_flight -= 1
            self.last_news = self.state.now()
            if isinstance(came, RemoteWatch):
                answer(Reply(200, None, watch=came))
            else:
                answer(self._conclude(request, target, before, came))

        self._workers.submit(work)

    def learn(self, definition: Mapping[str, Any]) -> None:
        """Add a custom resource that the real server has."""
        super().handle(Request("POST", PATH, body=definition))

    @property
    def busy(self) -> bool:
        """Whether an answer, or an event about a write, is in flight."""
        return self.in_flight > 0 or self._mirror.waits

    @property
    def watchers(self) -> frozenset[str]:
        """The actors that have a watch open."""
        return frozenset(stream.actor for stream in list(self._streams))

    def compact(self, resource: str | None = None) -> None:
        """No effect: the real server decides how long it keeps its history. The network ends the watches."""

    # -- from the hub -------------------------------------------------------------------------------------------------

    def notice(self, kind: Kind, event: str, raw: bytes) -> None:
        """Any thread: an object of the real cluster that this tenant may see has changed."""
        one = orjson.loads(self.tenant.plain(raw))
        self._inbox.put(lambda: self._receive(kind, event, one))

    def lose(self, reason: str) -> None:
        """Any thread: the cluster is gone, which ends the run."""

        def end() -> None:
            raise ClusterLost(reason)

        self._inbox.put(end)

    def _receive(self, kind: Kind, event: str, one: dict[str, Any]) -> None:
        self.last_news = self.state.now()
        self._mirror.notice(kind, event, one)

    def holdings(self) -> list[str]:
        """The paths of the collections on the real server that have objects in this tenant's namespaces."""
        registry = self.state.registry
        kinds = {resource: registry.of_resource(resource) for resource in self.state.collections}
        return [
            self.tenant.path(path_to(kind, namespace))
            for resource, kind in kinds.items()
            if kind is not None and kind.namespaced
            for namespace, names in self.state.collections[resource].namespaces.items()
            if names
        ]

    def end(self) -> None:
        """Leave: close the watches."""
        for stream in list(self._streams):
            stream.stop()

    # -- requests -----------------------------------------------------------------------------------------------------

    def _send(self, request: Request) -> Answer:
        body = None if request.body is None else orjson.dumps(self.tenant.body(request.body))
        try:
            return self._connection.request(
                request.method,
                self.tenant.path(request.path),
                self.tenant.query(request.query),
                body,
                request.content_type,
                request.accept,
            )
        except NoAnswer as broken:
            return Answer(0, str(broken).encode())

    def _open_watch(self, request: Request) -> Answer | RemoteWatch:
        found = self._connection.watch(self.tenant.path(request.path), self.tenant.query(request.query))
        if isinstance(found, Answer):
            return found
        note_seen = partial(self._note_seen, target_of(request))
        watch = RemoteWatch(request.actor, self._inbox, found, self._streams, note_seen)
        pump(found, watch, self.tenant)
        return watch

    def _conclude(self, request: Request, target: Target, before: dict[str, Any] | None, answer: Answer) -> Reply:
        """Turn an answer into a reply. A write is added to the mirror and the history."""
        reply = self._reply(answer, target)
        if request.path == _GROUPS and reply.status == 200:
            return self._with_metrics(request, reply)
        if target.verb in _READING or not target.resource:
            return reply
        after = self._after(request, target, reply)
        self._record(request, target, before, after, reply)
        return reply

    def _reply(self, answer: Answer, target: Target) -> Reply:
        if answer.status == 0:
            text = f"the API server cannot be reached: {answer.text}"
            status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 503}
            return Reply(503, {**status, "reason": "ServiceUnavailable", "message": text})
        sent = self.tenant.plain(answer.body)
        headers = {"Content-Type": answer.media}
        for name in ("Retry-After", "Warning"):
            if name in answer.headers:
                headers[name] = answer.headers[name]
        if "json" not in answer.media:
            return TextReply(answer.status, sent.decode(errors="replace"), answer.media)
        body = orjson.loads(sent)
        if target.verb == "list" and not target.namespace and isinstance(body.get("items"), list):
            mine = [self.tenant.owns(one) for one in orjson.loads(answer.body)["items"]]
            body["items"] = [one for one, keep in zip(body["items"], mine, strict=True) if keep]
            sent = orjson.dumps(body)
        return RemoteReply(answer.status, body, sent, headers)

    # -- webhooks -----------------------------------------------------------------------------------------------------

    def _is_reviewed(self, target: Target) -> bool:
        """Whether a webhook of ours may review a write."""
        operation = _OPERATIONS.get(target.verb)
        plural, _, group = target.resource.partition(".")
        return operation is not None and any(
            hook.cares_for(group, plural, target.subresource, operation) for hook in self.state.mutating_webhooks
        )

    def consult(
        self, review: bytes, client: Mapping[str, Any], timeout: int, answer: Callable[[Outcome], None]
    ) -> None:
        """Any thread: pass a review of the real server to its webhook (see `webhook_server`)."""
        request = dict(orjson.loads(self.tenant.plain(review))["request"])
        service = client.get("service") or {}
        place, path = (service.get("namespace", ""), service.get("name", "")), service.get("path") or "/"
        question = Review("", place, "", path, timeout, request.pop("uid"), request)
        self._inbox.put(lambda: self.ask_webhook(question, answer))

    # -- metrics ------------------------------------------------------------------------------------------------------

    def measure(self, request: Request, answer: Callable[[Reply], None]) -> None:
        """Any thread: answer a request to a metrics API; `answer` is called on the tenant's thread."""
        self._inbox.put(lambda: answer(ApiServer.handle(self, request)))

    def _with_metrics(self, request: Request, reply: Reply) -> Reply:
        """A list of API groups with those for metrics that this tenant has."""
        local = super().handle(request)
        body = with_groups(reply.body or {}, local.body or {}, METRIC_GROUPS)
        return RemoteReply(reply.status, body, orjson.dumps(body), reply.headers)

    def _is_local(self, path: str) -> bool:
        """Whether a request to a metrics API is answered here: each tenant decides which versions exist.

        Requests for metrics go through the cluster's API aggregation, if that leads to us.
        """
        parts = path.split("/")
        metrics = parts[1] == "apis" and len(parts) > 2 and parts[2] in METRIC_GROUPS
        return metrics and not (self._aggregated and "namespaces" in parts[4:5])

    # -- writes -------------------------------------------------------------------------------------------------------

    def _kind_of(self, target: Target) -> Kind | None:
        return self.state.registry.of_resource(target.resource) if target.resource else None

    def _before(self, target: Target) -> dict[str, Any] | None:
        kind = self._kind_of(target)
        if kind is None or not target.name:
            return None
        found = self._mirror.find(kind, target.namespace, target.name)
        return found or self._seen_by_controllers.get((target.resource, target.namespace, target.name))

    def _note_seen(self, target: Target, event: WatchEvent) -> None:
        """A controller sees an object, perhaps before the mirror does. Record it, so that its writes have an object
        before them.
        """
        kind, meta = self._kind_of(target), event.object.get("metadata") or {}
        if kind is None or not meta.get("name"):
            return
        namespace, name = meta.get("namespace", ""), meta["name"]
        if event.type == "DELETED" or self._mirror.find(kind, namespace, name) is not None:
            self._seen_by_controllers.pop((target.resource, namespace, name), None)
        else:
            self._seen_by_controllers[target.resource, namespace, name] = event.object

    def _after(self, request: Request, target: Target, reply: Reply) -> dict[str, Any] | None:
        """The object as a write left it; None if it is gone, or the write failed."""
        kind = self._kind_of(target)
        if kind is None or reply.status >= 400:
            return None
        body = reply.body
        if target.subresource in _INDIRECT or (target.verb == "delete" and (body or {}).get("kind") == "Status"):
            body = self._look(target)
        if body is None or not (body.get("metadata") or {}).get("name") or body.get("kind") == "Status":
            return None
        meta = body["metadata"]
        place = parse_path(request.path)
        if place is None or place.version != kind.version:
            return dict(body)  # in another form than the mirror's, which gets it from the hub
        dying = "deletionTimestamp" in meta
        ended = dying and not meta.get("finalizers") and not meta.get("deletionGracePeriodSeconds")
        if ended or (target.verb == "delete" and not dying):
            return None
        self._mirror.write(kind, body)
        return dict(body)  # not the mirror's version, which may have later writes

    def _look(self, target: Target) -> dict[str, Any] | None:
        """The object itself, read from the real server."""
        kind = self._kind_of(target)
        assert kind is not None
        answer = self._send(Request("GET", path_to(kind, target.namespace, target.name)))
        return orjson.loads(self.tenant.plain(answer.body)) if answer.status == 200 else None

    def _record(
        self,
        request: Request,
        target: Target,
        before: dict[str, Any] | None,
        after: dict[str, Any] | None,
        reply: Reply,
    ) -> None:
        failed = reply.status >= 400
        status = reply.body if failed and isinstance(reply.body, dict) else {}
        name = target.name or _name_in(reply, target.resource)
        write = Write(
            at=self.state.now(),
            actor=request.actor,
            verb=target.verb,
            resource=target.resource,
            subresource=target.subresource,
            namespace=target.namespace,
            name=name,
            code=reply.status,
            reason=status.get("reason", ""),
            before=before,
            after=after,
            body=request.body,
            message=status.get("message", ""),
        )
        for observe in self.observers:
            observe(write)


def _name_in(reply: Reply, resource: str) -> str:
    """The name that the server generated for a new object, or would have."""
    body = reply.body or {}
    details = body.get("details") or {}
    if reply.status >= 400:
        return str(details.get("name", "")) if details.get("kind") == resource.partition(".")[0] else ""
    return str((body.get("metadata") or {}).get("name", ""))

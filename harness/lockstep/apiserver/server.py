"""The in-memory API server: one function from request to reply.

Every transport (in-process calls, the pipe of the Go bubble, HTTP) ends here. Requests are answered one at a time, in
the order in which they come, and never wait: time does not pass during a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lockstep.apiserver import aggregation, errors
from lockstep.apiserver.admission import install
from lockstep.apiserver.create import create
from lockstep.apiserver.delete import delete, delete_collection
from lockstep.apiserver.discovery.documents import discover
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.features import DEFAULTS
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Reply, Request
from lockstep.apiserver.patch import patch
from lockstep.apiserver.reading import get, list_or_watch
from lockstep.apiserver.routing import Place, parse_path
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.store import Collection
from lockstep.apiserver.subresources import SUBRESOURCES
from lockstep.apiserver.update import update
from lockstep.apiserver.watching import bookmark
from lockstep.apiserver.webhooks.reviews import Hearing, Outcome, Review, Unanswered
from lockstep.apiserver.write_options import check_write_options
from lockstep.trace.history import Write

Handler = Callable[[State, Call], Reply]
#: Sends a question to a webhook and, at once or later, passes its answer to the given function.
Ask = Callable[[Review, Callable[[Outcome], None]], None]
#: Kind, collection, verb in Kubernetes, and the handler.
Route = tuple[Kind, Collection, str, Handler]
_MOST_ROUTES = 16384
_WITH_BODY = frozenset({"POST", "PUT"})
_NAMESPACES = ("default", "kube-system")
_OBJECT_VERBS: dict[str, tuple[str, Handler]] = {
    "GET": ("get", get),
    "PUT": ("update", update),
    "PATCH": ("patch", patch),
    "DELETE": ("delete", delete),
}
_COLLECTION_VERBS: dict[str, tuple[str, Handler]] = {
    "GET": ("list", list_or_watch),
    "POST": ("create", create),
    "DELETE": ("deletecollection", delete_collection),
}
_STATUS_VERBS: dict[str, tuple[str, Handler]] = {
    "GET": ("get", get),
    "PUT": ("update", update),
    "PATCH": ("patch", patch),
}
_READING = frozenset({"get", "list"})
_JSON_TYPES = ("application/json",)
#: The media types that transports may parse as JSON; for custom resources, all except the last.
_MEDIA_TYPES = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")


class ApiServer:
    """A Kubernetes API server in memory.

    `loop_now` returns the instant in nanoseconds since the virtual epoch; `feature_gates` are those with a value other
    than the default.
    """

    def __init__(
        self, loop_now: Callable[[], int], *, seed: int = 0, feature_gates: Mapping[str, bool] = DEFAULTS
    ) -> None:
        self.state = State(loop_now, seed, feature_gates)
        #: The handler of each method and path, while no kind is added or removed: clients repeat the same requests.
        self._routes: dict[tuple[str, str], Route] = {}
        self._routes_of = self.state.registry.revision
        #: Called after every mutating request, successful or not.
        self.observers: list[Callable[[Write], None]] = []
        #: Calls webhooks; without a network, none can be reached.
        self.ask_webhook: Ask = _unreachable
        install(self.state)
        for name in _NAMESPACES:
            self.handle(Request("POST", "/api/v1/namespaces", body={"metadata": {"name": name}}))

    def submit(self, request: Request, answer: Callable[[Reply], None]) -> None:
        """Answer a request as soon as its webhooks have answered; at once if there are none."""
        self.follow_up(request, self.handle(request), answer)

    def follow_up(self, request: Request, reply: Reply, answer: Callable[[Reply], None]) -> None:
        """Pass `answer` the reply of `handle` or, if a webhook has to be asked, the reply after its answer."""
        review = reply.review
        if review is None:
            answer(reply)
            return
        hearing = request.hearing = request.hearing or Hearing()

        def heard(outcome: Outcome) -> None:
            hearing.note(review, outcome)
            self.submit(request, answer)

        self.ask_webhook(review, heard)

    def handle(self, request: Request) -> Reply:
        """Answer a request. Never raises for bad input: a Status reports the error.

        A reply with a `review` is not an answer: nothing was done yet, since a webhook has to be asked. See
        `follow_up`.
        """
        call: Call | None = None
        place: Place | None = None
        try:
            place = parse_path(request.path)
            if place is None:
                return discover(self.state, request)
            aggregated = self.state.aggregated.get(place.group)
            if aggregated is not None:
                return aggregation.serve(aggregated, request, place)
            call, handler = self._call(request, place)
            reply = handler(self.state, call)
        except ApiError as problem:
            if call is None and problem.code == 404 and self._is_unknown(request, place):
                return aggregation.page_not_found()
            if call is not None and call.verb not in _READING:
                self._observe(call, problem.code, problem)
            return Reply(problem.code, problem.status, headers=problem.headers)
        except Unanswered as question:
            open_question = Reply(0, None)
            open_question.review = question.review
            return open_question
        if call.warnings:
            reply = reply.warning(call.warnings)
        if self.observers and call.verb not in _READING:
            self._observe(call, reply.status, None)
        return reply

    def _is_unknown(self, request: Request, place: Place | None) -> bool:
        """Whether no server has the group of a path or, for custom resources, its kind."""
        registry = self.state.registry
        if place is None:
            parts = request.path.strip("/").split("/")
            return len(parts) in (2, 3) and parts[0] == "apis" and not registry.has_group(parts[1])
        if place.group in self.state.aggregated:
            return False
        found = registry.find(place.group, place.version, place.plural)
        return found is None and not registry.is_built_in(place.group)

    def _call(self, request: Request, place: Place) -> tuple[Call, Handler]:
        """The call that a request makes. Raises ApiError 404, 405 or 415."""
        routes = self._routes
        if self._routes_of != self.state.registry.revision:
            routes.clear()
            self._routes_of = self.state.registry.revision
        key = (request.method, request.path)
        route = routes.get(key)
        if route is None:
            if len(routes) >= _MOST_ROUTES:
                routes.clear()
            route = routes[key] = self._resolve(request, place)
        kind, collection, verb, handler = route
        if request.method in _WITH_BODY and not _is_json(request.content_type):
            raise errors.unsupported_media_type(_MEDIA_TYPES if kind.strategic else _MEDIA_TYPES[:2])
        if request.query:
            check_write_options(verb, request.query, request.content_type)
        return Call(request, kind, collection, place.namespace, place.name, place.subresource, verb), handler

    def _resolve(self, request: Request, place: Place) -> Route:
        kind = self.state.registry.find(place.group, place.version, place.plural)
        if kind is None or (place.name and kind.namespaced and not place.in_namespace):
            raise errors.unknown_path()
        if place.in_namespace and not kind.namespaced:
            raise errors.unknown_path()
        if kind.namespaced and not place.in_namespace and request.method != "GET":
            raise errors.method_not_allowed()
        if kind.asked_only and not place.subresource:
            raise errors.method_not_allowed()
        if place.subresource:
            if place.subresource not in kind.subresources:
                if not kind.strategic and place.subresource in ("status", "scale"):
                    raise errors.not_found(kind.group, kind.plural, place.name)
                raise errors.unknown_path()
            verbs: dict[str, tuple[str, Handler]] = SUBRESOURCES.get(place.subresource, _STATUS_VERBS)
        else:
            verbs = _OBJECT_VERBS if place.name else _COLLECTION_VERBS
        found = verbs.get(request.method)
        if found is None:
            raise errors.method_not_allowed()
        verb, handler = found
        return kind, self.state.collection(kind.collection), verb, handler

    def _observe(self, call: Call, code: int, problem: ApiError | None) -> None:
        if not self.observers or call.dry_run:
            return
        message = str(problem) if problem is not None else ""
        request = call.request
        reason, after = (problem.reason, None) if problem is not None else ("", call.after)
        # By position: by name it takes three times as long, and every write makes one.
        write = Write(
            self.state.now(), request.actor, call.verb, call.kind.resource, call.subresource, call.namespace, call.name,
            code, reason, call.before, after, request.body, message,
        )  # fmt: skip
        for observer in self.observers:
            observer(write)

    # -- for the world ------------------------------------------------------------------------------------------------

    @property
    def resource_version(self) -> int:
        """The version of the latest write."""
        return self.state.versions.current

    def find(self, resource: str, namespace: str, name: str) -> dict[str, Any] | None:
        """The stored object, or None. `resource` is `plural.group`; it is shared: never change it."""
        stored = self._collection(resource).get(namespace, name)
        return stored.object if stored is not None else None

    def objects(self, resource: str, namespace: str | None = None) -> list[dict[str, Any]]:
        """The stored objects in order of creation; of one namespace, or of all. They are shared: never change them."""
        collection = self._collection(resource)
        items = collection.items if namespace is None else collection.namespaces.get(namespace, {})
        return [stored.object for stored in items.values()]

    def compact(self, resource: str | None = None) -> None:
        """Forget old versions, of one resource or of all: reading or watching from them gives 410 Gone."""
        collections = self.state.collections.values() if resource is None else [self._collection(resource)]
        for collection in collections:
            collection.compact()

    def close_watches(self, resource: str | None = None) -> None:
        """End running watches, of one resource or of all, like a server that restarts or times out."""
        collections = self.state.collections.values() if resource is None else [self._collection(resource)]
        for collection in collections:
            collection.close_watches()

    def send_bookmarks(self, resource: str) -> None:
        """Send a bookmark with the current version to every watch of a resource that asked for bookmarks."""
        kind = self._kind(resource)
        event = bookmark(kind, self.state.versions.current)
        self.state.collection(kind.collection).send(event)

    def _kind(self, resource: str) -> Kind:
        kind = self.state.registry.of_resource(resource)
        if kind is None:
            raise KeyError(f"no resource {resource!r}: name it as plural.group, for example replicasets.apps")
        return kind

    def _collection(self, resource: str) -> Collection:
        return self.state.collection(self._kind(resource).collection)


def _is_json(content_type: str) -> bool:
    return content_type in _JSON_TYPES or content_type.partition(";")[0].strip() in _JSON_TYPES


def _unreachable(review: Review, answer: Callable[[Outcome], None]) -> None:
    namespace, name = review.service
    answer(Outcome(broken=f'service "{name}" not found' if namespace else "dial tcp: connect: connection refused"))

"""The HTTP front: from a client's request to the simulation's answer, in the form that the client accepts."""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
from collections.abc import Coroutine
from typing import Any

import orjson
import yaml
from aiohttp import web

from lockstep.apiserver import Reply, Request, WatchEvent
from lockstep.apiserver.aggregation import page_not_found
from lockstep.apiserver.errors import ApiError, internal_error
from lockstep.apiserver.messages import TextReply
from lockstep.apiserver.reading import is_set
from lockstep.apiserver.routing import Place, parse_path
from lockstep.network import Broken
from lockstep.serving import extras, openapi
from lockstep.serving.boxes import Outbox
from lockstep.serving.control import ROOT, Control
from lockstep.serving.crossing import answering, relay
from lockstep.serving.etags import tagged
from lockstep.serving.incoming import body_of, incoming
from lockstep.serving.negotiation import JSON, YAML, Form, negotiate
from lockstep.serving.simulation import Simulation
from lockstep.serving.streams import Stream
from lockstep.serving.tables.column import Columns
from lockstep.serving.tables.columns import columns_of
from lockstep.serving.tables.tables import shaped

_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_LOG = logging.getLogger("lockstep.serve")
_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
#: Roots of discovery, whose documents clients cache.
_AGGREGATED = frozenset({"/api", "/apis"})
_ACCEPTED = f"only the following media types are accepted: {JSON}, {YAML}"


class Front:
    """Answers HTTP requests. `token`: the bearer token that clients must show; "" for none."""

    def __init__(self, simulation: Simulation, outbox: Outbox, token: str = "") -> None:
        self._simulation = simulation
        self._outbox = outbox
        self._token = token.encode()
        self._control = Control(simulation, outbox)
        self._columns: dict[str, tuple[Any, Columns]] = {}
        self._unanswered: dict[asyncio.Future[Reply | Stream | Broken], None] = {}
        self._working: set[asyncio.Future[Reply]] = set()
        self._failure = ""

    def fail(self, why: str) -> None:
        """The simulation has ended by itself: from now on every answer is a 503."""
        self._failure = why
        for one in list(self._unanswered):
            if not one.done():
                one.set_result(Broken(why))
        for task in self._working:
            task.cancel()

    async def handle(self, http: web.Request) -> web.StreamResponse:
        """Answer one request."""
        try:
            self._check_token(http)
            return await self._answer(http)
        except ApiError as problem:
            return _respond(Reply(problem.code, problem.status, headers=problem.headers))
        except Exception as error:
            _LOG.exception("internal error in %s %s", http.method, http.path)
            told = internal_error(f"{type(error).__name__} in the HTTP front")
            return _respond(Reply(told.code, told.status))

    def _check_token(self, http: web.Request) -> None:
        shown = http.headers.get("Authorization", "").encode()
        if self._token and not hmac.compare_digest(shown, b"Bearer " + self._token):
            raise ApiError(401, "Unauthorized", "Unauthorized")

    async def _answer(self, http: web.Request) -> web.StreamResponse:
        document = await self._document(http)
        if document is not None:
            return _respond(document)
        place = parse_path(http.path)
        form = negotiate(http.headers.get("Accept", ""))
        if form is None:
            raise ApiError(406, "NotAcceptable", _ACCEPTED)
        request = await incoming(http, place, self._simulation.server.state.registry)
        if form.media == YAML and is_set(request.query, "watch") and place is not None and not place.name:
            raise ApiError(406, "NotAcceptable", f"only the following media types are accepted: {JSON}")
        if place is not None:
            extra = extras.answer(request, place)
            if extra is not None:
                return _respond(extra)
        answered = await self._ask(request)
        if isinstance(answered, Stream):
            return await self._stream(http, request, answered, form, place)
        if place is None and http.path in _AGGREGATED:
            answered = tagged(answered, http.headers.get("If-None-Match", ""))
        return self._reply(request, answered, form, place)

    async def _document(self, http: web.Request) -> Reply | None:
        """The answer to a request that is not for the API server; None for one that is."""
        if http.path.startswith("//"):
            return page_not_found()
        if _BAD_ESCAPE.search(http.raw_path.partition("?")[0]):
            return TextReply(400, "400 Bad Request")
        if http.path.startswith(ROOT):
            body, media = await body_of(http), http.headers.get("Content-Type", "")
            return await self._while_it_lives(self._control.answer(http.method, http.path, body, media))
        if http.path.startswith("/openapi/"):
            server = self._simulation.server
            found = await asyncio.to_thread(openapi.answer, server, http.method, http.path, http.headers)
            return tagged(found, http.headers.get("If-None-Match", ""))
        return None

    async def _while_it_lives(self, work: Coroutine[Any, Any, Reply]) -> Reply:
        """The result of work on the simulation. Raises ApiError 503 if the simulation ends meanwhile, or has ended."""
        task = asyncio.ensure_future(work)
        self._working.add(task)
        if self._failure:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            if self._failure:
                raise ApiError(503, "ServiceUnavailable", self._failure) from None
            raise
        finally:
            task.cancel()
            self._working.discard(task)

    async def _ask(self, request: Request) -> Reply | Stream:
        """The answer of the simulation. Raises ApiError 503 if it ends early."""
        if self._failure:
            raise ApiError(503, "ServiceUnavailable", self._failure)
        answered: asyncio.Future[Reply | Stream | Broken] = asyncio.get_running_loop().create_future()
        answer = answering(answered, self._simulation.inbox, self._outbox)
        self._simulation.submit(request, answer, answered.done)
        self._unanswered[answered] = None
        try:
            result = await answered
        finally:
            del self._unanswered[answered]
        if isinstance(result, Broken):
            raise ApiError(503, "ServiceUnavailable", result.reason)
        return result

    # -- forms --------------------------------------------------------------------------------------------------------

    def _reply(self, request: Request, reply: Reply, form: Form, place: Place | None) -> web.Response:
        if form.shape and place is not None and reply.body is not None and reply.status < 400:
            columns = self._columns_at(place)
            if columns is not None:
                include = request.query.get("includeObject", "Metadata")
                body = shaped(reply.body, form, columns, self._simulation.loop.now, include)
                reply = Reply(reply.status, body, headers=reply.headers)
        return _respond(reply, form.media)

    def _columns_at(self, place: Place) -> Columns | None:
        """The columns of the resource at a path; None for one that this server itself does not store."""
        server = self._simulation.server
        if server.state.registry.find(place.group, place.version, place.plural) is None:
            return None
        resource = f"{place.plural}.{place.group}" if place.group else place.plural
        key = "" if place.subresource else resource
        definition = server.find(_DEFINITIONS, "", key) if key else None
        known = self._columns.get(f"{key}/{place.version}")
        if known is None or known[0] is not definition:
            known = self._columns[f"{key}/{place.version}"] = definition, columns_of(key, definition, place.version)
        return known[1]

    # -- watches ------------------------------------------------------------------------------------------------------

    async def _stream(
        self, http: web.Request, request: Request, stream: Stream, form: Form, place: Place | None
    ) -> web.StreamResponse:
        """Send events as they come, in the client's form."""
        columns = self._columns_at(place) if form.shape and place is not None else None
        if columns is None:
            return await relay(http, request, stream, WatchEvent.raw)
        include = request.query.get("includeObject", "Metadata")

        def line_of(event: WatchEvent) -> bytes:
            told = shaped(event.object, form, columns, self._simulation.loop.now, include)
            return orjson.dumps({"type": event.type, "object": told})

        return await relay(http, request, stream, line_of)


def _respond(reply: Reply, media: str = JSON) -> web.Response:
    headers = dict(reply.headers)
    if media == YAML and headers.get("Content-Type") == JSON:
        text = yaml.safe_dump(orjson.loads(reply.raw()), sort_keys=False, allow_unicode=True)
        return web.Response(status=reply.status, body=text.encode(), headers={**headers, "Content-Type": YAML})
    return web.Response(status=reply.status, body=reply.raw(), headers=headers)

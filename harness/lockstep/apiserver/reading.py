"""GET, LIST and WATCH (apiserver/pkg/storage/cacher and etcd3, meta/internalversion/validation)."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from lockstep.apiserver import errors
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.preconditions import MOST_DIGITS, version_problem
from lockstep.apiserver.selectors import ObjectMatcher, object_matcher
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.store import Collection
from lockstep.apiserver.stored import Stored
from lockstep.apiserver.versions import to_served_form
from lockstep.apiserver.watching import start_watch
from lockstep.wire.field import FieldError, forbidden_value, not_supported
from lockstep.wire.gojson_syntax import syntax_error
from lockstep.wire.gotext import quote

_EXPIRED_LIST = "The resourceVersion for the provided list is too old."
_EXPIRED_PAGE = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list without the continue parameter, or use the continue token in this response to retrieve the "
    "remainder of the results. Continuing with the provided token results in an inconsistent list - "
    "objects that were created, modified, or deleted between the time the first chunk was returned and "
    "now may show up in the list."
)
_ONE_NAME = re.compile(r"(?:^|,)metadata\.name==?[^,]")
_PAGE_FORM = "meta.k8s.io/v1"
_EXACT, _NOT_OLDER = "Exact", "NotOlderThan"
_HIGHEST_INT64 = 2**63 - 1
_INTEGER = re.compile(r"[+-]?[0-9]+")


def served(stored: Stored, kind: Kind) -> Stored:
    """The stored object as this kind's API version shows it."""
    payload = to_served_form(stored.object, kind)
    return stored if payload is stored.object else Stored(stored.key, payload, stored.version)


def reply_with(status: int, stored: Stored, kind: Kind) -> Reply:
    """A reply that holds one object, in the form of the request's API version."""
    if kind.stored_as or kind.api_version != stored.object["apiVersion"]:
        stored = served(stored, kind)
    return Reply(status, stored.object, stored=stored)


def get(state: State, call: Call) -> Reply:
    """GET of one object."""
    query = call.request.query
    stored = call.existing()
    wanted = query.get("resourceVersion")
    if wanted:
        _check_not_future(state, parse_version(wanted))
    return reply_with(200, stored, call.kind)


def parse_version(text: str, *, listing: bool = False) -> int:
    """A resourceVersion from a query. Raises ApiError: 400 in a list, else 500, as in upstream."""
    problem = version_problem(text)
    if not problem:
        return int(text)
    told = f"resourceVersion: Invalid value: {quote(text)}: {problem}"
    if listing:
        raise errors.bad_request(f"invalid resource version: {told}")
    raise ApiError(500, "", told)


def parse_int64(text: str) -> int:
    """A number from a query. Raises ApiError 400 with the message of Go's strconv."""
    if _INTEGER.fullmatch(text) is None:
        raise errors.bad_request(f"strconv.ParseInt: parsing {quote(text)}: invalid syntax")
    if len(text) > MOST_DIGITS or not -_HIGHEST_INT64 - 1 <= int(text) <= _HIGHEST_INT64:
        raise errors.bad_request(f"strconv.ParseInt: parsing {quote(text)}: value out of range")
    return int(text)


def _check_not_future(state: State, version: int) -> None:
    if version > state.versions.current:
        raise errors.too_large_resource_version(version, state.versions.current)


def is_set(query: Mapping[str, str], name: str) -> bool:
    """A flag of a query: everything except "false" and "0" is true (Convert_Slice_string_To_bool)."""
    return query.get(name, "0") not in ("false", "0")


def matcher(kind: Kind, query: Mapping[str, str]) -> ObjectMatcher | None:
    """The predicate of the query's selectors; None if everything matches."""
    return object_matcher(kind, query.get("labelSelector", ""), query.get("fieldSelector", ""))


def list_or_watch(state: State, call: Call) -> Reply:
    """GET on a collection: a watch if the query says so."""
    query = call.request.query
    for name in ("limit", "timeoutSeconds"):
        if query.get(name):
            parse_int64(query[name])
    findings = _option_findings(query)
    if findings:
        raise errors.invalid("meta.k8s.io", "ListOptions", "", findings)
    if is_set(query, "watch"):
        version = query.get("resourceVersion", "")
        if version:
            parse_version(version)
        return Reply(200, None, watch=start_watch(state, call, matcher(call.kind, query)))
    return _list(state, call)


def _option_findings(query: Mapping[str, str]) -> list[FieldError]:
    """ValidateListOptions."""
    match, found = query.get("resourceVersionMatch", ""), []
    field = "resourceVersionMatch"
    initial = query.get("sendInitialEvents", "")
    if is_set(query, "watch"):
        if initial and match != _NOT_OLDER:
            found.append(
                forbidden_value(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
            )
        if match and not initial:
            found.append(
                forbidden_value(
                    field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
                )
            )
        if match and match != _NOT_OLDER:
            found.append(not_supported(field, match, [_NOT_OLDER]))
        return found
    if match:
        if not query.get("resourceVersion"):
            found.append(forbidden_value(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
        if query.get("continue"):
            found.append(forbidden_value(field, "resourceVersionMatch is forbidden when continue is provided"))
        if match not in (_EXACT, _NOT_OLDER):
            found.append(not_supported(field, match, [_EXACT, _NOT_OLDER, ""]))
        if match == _EXACT and query.get("resourceVersion") == "0":
            found.append(forbidden_value(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    if initial:
        found.append(forbidden_value("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return found


def _list(state: State, call: Call) -> Reply:
    query, collection = call.request.query, call.collection
    # The watch cache, which answers version 0, has no pages (cacher.go computeListLimit).
    limit = 0 if query.get("resourceVersion") == "0" else _parse_limit(query.get("limit", ""))
    start = ""
    exact: int | None = None
    if query.get("continue"):
        if query.get("resourceVersion", "0") not in ("", "0"):
            raise errors.bad_request("specifying resource version is not allowed when using continue")
        start, exact = _decode_continue(state, collection, query["continue"])
    elif query.get("resourceVersion", "") not in ("", "0"):
        version = parse_version(query["resourceVersion"], listing=True)
        _check_not_future(state, version)
        match = query.get("resourceVersionMatch", "")
        if match == _EXACT or (not match and limit):
            exact = version
            if version < collection.compacted:
                raise errors.expired(_EXPIRED_LIST)
    if exact is None:
        exact = call.request.as_of
        if exact is not None and exact < collection.compacted:
            raise errors.expired(_EXPIRED_LIST)
    shown = state.versions.current if exact is None else exact
    matches = matcher(call.kind, query)
    if not start and _ONE_NAME.search(query.get("fieldSelector", "")):
        limit = 0  # Upstream then reads one key, without pages (SelectionPredicate.MatchesSingle).
    items = selected(collection, call, exact, None if limit else matches)
    if start:
        items = [item for item in items if item.key >= start]
    return _list_reply(call, items, shown, limit, matches)


def selected(collection: Collection, call: Call, version: int | None, matches: ObjectMatcher | None) -> list[Stored]:
    """The objects of a request's namespace and selection, in key order, now or at `version`."""
    if version is not None:
        items = collection.as_of(version)
        if call.namespace:
            prefix = f"{call.namespace}/"
            items = [item for item in items if item.key.startswith(prefix)]
    elif call.namespace:
        names = collection.namespaces.get(call.namespace) or {}
        items = [names[name] for name in sorted(names)]
    else:
        items = collection.sorted_items()
    if matches is not None:
        items = [item for item in items if matches(item.object)]
    return items


def _page(items: Sequence[Stored], limit: int, matches: ObjectMatcher | None) -> tuple[list[Stored], Sequence[Stored]]:
    """The first `limit` objects that match, and everything after the last of them, whether it matches or not."""
    page: list[Stored] = []
    for index, item in enumerate(items):
        if matches is None or matches(item.object):
            page.append(item)
            if len(page) == limit:
                return page, items[index + 1 :]
    return page, ()


def _list_reply(call: Call, items: Sequence[Stored], version: int, limit: int, matches: ObjectMatcher | None) -> Reply:
    kind, query = call.kind, call.request.query
    metadata: dict[str, Any] = {"resourceVersion": str(version)}
    if not kind.strategic:
        metadata["continue"] = ""
    rest: Sequence[Stored] = ()
    if limit:
        items, rest = _page(items, limit, matches)
    if rest:
        metadata["continue"] = _encode_continue(version, rest[0].key)
        # Upstream counts keys, so it does not know how many of the remaining objects are selected, or whether any is.
        if not query.get("labelSelector") and not query.get("fieldSelector"):
            metadata["remainingItemCount"] = len(rest)
    if kind.stored_as:
        items = [served(item, kind) for item in items]
    body = {
        "kind": f"{kind.kind}List",
        "apiVersion": kind.api_version,
        "metadata": metadata,
        "items": [item.object for item in items],
    }
    return Reply(200, body, items=items)


def _parse_limit(text: str) -> int:
    return max(parse_int64(text), 0) if text else 0


def _encode_continue(version: int, start: str) -> str:
    token = orjson.dumps({"v": _PAGE_FORM, "rv": version, "start": start})
    return urlsafe_b64encode(token).decode().rstrip("=")


def _decode_continue(state: State, collection: Collection, token: str) -> tuple[str, int]:
    """The key to continue from and the version to read. Raises ApiError 400, or 410 with a token for today's state."""
    invalid = "invalid continue token: continue key is not valid"
    raw = b""
    try:
        raw = urlsafe_b64decode(token.encode() + b"=" * (-len(token) % 4))
        content = orjson.loads(raw)
        start, version, form = str(content.get("start", "")), int(content.get("rv", 0)), content.get("v", "")
    except orjson.JSONDecodeError:
        raise errors.bad_request(f"{invalid}: {syntax_error(raw)}") from None
    except (ValueError, AttributeError, TypeError):
        raise errors.bad_request(f"{invalid}: it is no token of a server") from None
    if form != _PAGE_FORM:
        raise errors.bad_request(f"{invalid}: server does not recognize this encoded version {form}")
    if version == -1:
        return start, state.versions.current
    if version < collection.compacted:
        error: ApiError = errors.expired(_EXPIRED_PAGE)
        error.status["metadata"] = {"continue": _encode_continue(-1, start)}
        raise error
    return start, version

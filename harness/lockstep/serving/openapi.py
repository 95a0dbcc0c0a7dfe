"""OpenAPI v3 as far as kubectl reads it: the fields of a kind (explain), and the parameters of a write (apply).

Each group and version has its own document; /openapi/v3 lists them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from lockstep.apiserver import ApiServer, Reply
from lockstep.apiserver.errors import ApiError, method_not_allowed, unknown_path
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.patch import accepted_types
from lockstep.serving.negotiation import JSON, negotiate
from lockstep.serving.schemas import schema_name, schemas_of

Object = dict[str, Any]
_ROOT = "/openapi/v3"
_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
_WRITE_PARAMETERS = ("dryRun", "fieldManager", "fieldValidation")
_METHODS = {"get": "get", "post": "post", "put": "put", "patch": "patch", "delete": "delete"}


def answer(server: ApiServer, method: str, path: str, headers: Mapping[str, str]) -> Reply:
    """A document, or the list of them. Raises ApiError 404, 405 or 406."""
    if method != "GET":
        raise method_not_allowed()
    kinds = _by_place(server)
    place = path.rstrip("/").removeprefix(f"{_ROOT}/")
    if path.rstrip("/") != _ROOT and place not in kinds:
        raise unknown_path()
    form = negotiate(headers.get("Accept", ""))
    if form is None or form.media != JSON:
        raise ApiError(406, "NotAcceptable", f"only the following media types are accepted: {JSON}")
    if place in kinds:
        return Reply(200, _document(server, kinds[place]))
    return Reply(200, {"paths": {name: _link(server, name, found) for name, found in kinds.items()}})


def _by_place(server: ApiServer) -> dict[str, list[Kind]]:
    """The kinds of each group and version, by `apis/GROUP/VERSION` or `api/VERSION`."""
    found: dict[str, list[Kind]] = {}
    for kind in list(server.state.registry):
        found.setdefault(_root(kind), []).append(kind)
    return found


def _root(kind: Kind) -> str:
    return f"apis/{kind.group}/{kind.version}" if kind.group else f"api/{kind.version}"


def _link(server: ApiServer, place: str, kinds: list[Kind]) -> Object:
    """The link to a document; its hash changes with the document, so that clients may cache it."""
    definitions = [_definition(server, kind) for kind in kinds]
    versions = [one["metadata"]["resourceVersion"] for one in definitions if one is not None]
    digest = hashlib.sha256(orjson.dumps([place, versions])).hexdigest()[:32]
    return {"serverRelativeURL": f"{_ROOT}/{place}?hash={digest.upper()}"}


def _definition(server: ApiServer, kind: Kind) -> Object | None:
    return server.find(_DEFINITIONS, "", kind.resource) if not kind.strategic else None


def _document(server: ApiServer, kinds: list[Kind]) -> Object:
    schemas: dict[str, Object] = {}
    paths: dict[str, Object] = {}
    for kind in kinds:
        name = schema_name(kind)
        definition = _definition(server, kind)
        found = schemas_of(kind) if definition is None else {name: _custom_schema(definition, kind)}
        schemas.update(found)
        schemas[name] = {**found[name], "x-kubernetes-group-version-kind": [_gvk(kind)]}
        paths.update(_paths(kind, name))
    info = {"title": "Kubernetes", "version": "v1.36.3"}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _gvk(kind: Kind) -> Object:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _custom_schema(definition: Object, kind: Kind) -> Object:
    for version in definition["spec"]["versions"]:
        if version["name"] == kind.version:
            schema: Object = (version.get("schema") or {}).get("openAPIV3Schema") or {"type": "object"}
            return schema
    return {"type": "object"}


def _paths(kind: Kind, schema: str) -> dict[str, Object]:
    root = f"/{_root(kind)}{'/namespaces/{namespace}' if kind.namespaced else ''}/{kind.plural}"
    named = f"{root}/{{name}}"
    found = {
        root: {"get": _operation(kind, schema, "list"), "post": _operation(kind, schema, "post")},
        named: {method: _operation(kind, schema, action) for method, action in _METHODS.items() if method != "post"},
    }
    if kind.has_status:
        found[f"{named}/status"] = {action: _operation(kind, schema, action) for action in ("get", "put", "patch")}
    return found


def _operation(kind: Kind, schema: str, action: str) -> Object:
    content = {"schema": {"$ref": f"#/components/schemas/{schema}"}}
    operation: Object = {
        "tags": [kind.group or "core"],
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _gvk(kind),
        "responses": {"200": {"description": "OK", "content": {JSON: content}}},
    }
    if action in ("post", "put", "patch"):
        names = (*_WRITE_PARAMETERS, "force") if action == "patch" else _WRITE_PARAMETERS
        operation["parameters"] = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names]
        media = accepted_types(kind) if action == "patch" else (JSON,)
        operation["requestBody"] = {"required": True, "content": dict.fromkeys(media, content)}
    return operation

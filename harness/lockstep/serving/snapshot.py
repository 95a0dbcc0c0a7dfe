"""Snapshots: objects from manifests, or from `kubectl get -o json`, as the first content of a cluster.

The server assigns its own values again: versions, uids, times of creation. References to owners in the snapshot
follow their new uids. Statuses are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from lockstep.apiserver import ApiServer, Reply, Request
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.routing import path_to
from lockstep.serving import ServeError

Object = dict[str, Any]
_ASSIGNED = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")
_DELETION = ("deletionTimestamp", "deletionGracePeriodSeconds")
#: Kinds that others need first.
_EARLY = {"CustomResourceDefinition": 0, "Namespace": 1, "Node": 2}
_LATER = len(_EARLY)
#: Kinds that could change or refuse the writes of all others.
_LAST = {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ResourceQuota", "LimitRange"}
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_snapshot(path: Path) -> list[Object]:
    """The objects of a file of YAML documents or JSON. Raises ServeError, in one line, if it cannot be read."""
    try:
        documents = list(yaml.load_all(path.read_bytes(), Loader=_LOADER))
    except OSError as error:
        raise ServeError(f"snapshot {path}: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ServeError(f"snapshot {path} is neither YAML nor JSON: {' '.join(str(error).split())}") from error
    objects = [one for document in documents if document is not None for one in _items(document, path)]
    if not objects:
        raise ServeError(f"snapshot {path} holds no objects")
    return objects


def _items(document: Any, path: Path) -> Iterator[Object]:
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        raise ServeError(f"snapshot {path}: every document must be an object with apiVersion and kind, or a list")
    if isinstance(document.get("items"), list) and document["kind"].endswith("List"):
        inherited = {"apiVersion": document.get("apiVersion"), "kind": document["kind"].removesuffix("List")}
        for item in document["items"]:
            yield from _items({**inherited, **item} if isinstance(item, dict) else item, path)
        return
    metadata = document.get("metadata")
    if not isinstance(document.get("apiVersion"), str) or not isinstance(metadata, dict) or not metadata.get("name"):
        raise ServeError(f"snapshot {path}: a {document['kind']} lacks apiVersion or metadata.name")
    yield document


def load_snapshot(server: ApiServer, objects: Sequence[Object]) -> None:
    """Create the objects, owners before what they own. Raises ServeError for the first refused one."""
    uids: dict[str, str] = {}
    for one in _in_order(objects):
        kind = _kind_of(server, one)
        _need_namespace(server, kind, one)
        created = _create(server, kind, _fresh(one, uids))
        if one["metadata"].get("uid"):
            uids[one["metadata"]["uid"]] = created["metadata"]["uid"]
        if kind.has_status and one.get("status"):
            _set_status(server, kind, {**created, "status": one["status"]})


def _in_order(objects: Sequence[Object]) -> list[Object]:
    """In the given order, except for those that others need, and those whose owners come later."""
    ranked = sorted(objects, key=lambda one: _LATER + 1 if one["kind"] in _LAST else _EARLY.get(one["kind"], _LATER))
    known = {one["metadata"].get("uid"): one for one in ranked}
    ordered: dict[int, Object] = {}

    def add(one: Object, above: tuple[int, ...]) -> None:
        if id(one) in ordered or id(one) in above:
            return
        for reference in one["metadata"].get("ownerReferences") or ():
            owner = known.get(reference.get("uid"))
            if owner is not None:
                add(owner, (*above, id(one)))
        ordered[id(one)] = one

    for one in ranked:
        add(one, ())
    return list(ordered.values())


def _kind_of(server: ApiServer, one: Object) -> Kind:
    for kind in server.state.registry:
        if (kind.api_version, kind.kind) == (one["apiVersion"], one["kind"]):
            return kind
    raise ServeError(f"snapshot: {_name(one)}: there is no kind {one['kind']} of {one['apiVersion']} here")


def _fresh(one: Object, uids: dict[str, str]) -> Object:
    """The object without what the server assigns, and with new uids of its owners."""
    metadata = {key: item for key, item in one["metadata"].items() if key not in (*_ASSIGNED, *_DELETION)}
    references = metadata.get("ownerReferences")
    if references:
        metadata["ownerReferences"] = [{**item, "uid": uids.get(item["uid"], item["uid"])} for item in references]
    return {**one, "metadata": metadata}


def _place(one: Object) -> tuple[str, str]:
    """Namespace and name."""
    return one["metadata"].get("namespace", "default"), one["metadata"]["name"]


def _need_namespace(server: ApiServer, kind: Kind, one: Object) -> None:
    namespace, _ = _place(one)
    if kind.namespaced and server.find("namespaces", "", namespace) is None:
        server.handle(Request("POST", "/api/v1/namespaces", body={"metadata": {"name": namespace}}))


def _create(server: ApiServer, kind: Kind, one: Object) -> Object:
    namespace, name = _place(one)
    reply = server.handle(Request("POST", path_to(kind, namespace), body=one))
    if reply.status == 409 and kind.kind == "Namespace":  # the server has made it already
        reply = server.handle(Request("PUT", path_to(kind, namespace, name), body=one))
    return _checked(one, reply)


def _set_status(server: ApiServer, kind: Kind, one: Object) -> None:
    _checked(one, server.handle(Request("PUT", f"{path_to(kind, *_place(one))}/status", body=one)))


def _checked(one: Object, reply: Reply) -> Object:
    body = reply.body or {}
    if reply.review is not None:
        raise ServeError(f"snapshot: {_name(one)} has to pass a webhook, which nobody answers yet")
    if reply.status >= 400:
        raise ServeError(f"snapshot: {_name(one)}: {body.get('message', reply.status)}")
    return body


def _name(one: Object) -> str:
    metadata = one["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{one['kind']} {place}{metadata['name']}"

"""Paths beside the stored objects: client identity, permissions (all granted), and what needs a running container."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.apiserver import Reply, Request
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.routing import Place

_GROUP, _IDENTITY = "authorization.k8s.io", "authentication.k8s.io"
#: All clients are the same user, with all permissions.
_USER = {"username": "lockstep", "groups": ["system:masters", "system:authenticated"]}
_REVIEWS: Mapping[str, str] = {
    "selfsubjectaccessreviews": "SelfSubjectAccessReview",
    "subjectaccessreviews": "SubjectAccessReview",
    "localsubjectaccessreviews": "LocalSubjectAccessReview",
}
_RULES = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}
#: Subresources of a pod that reach into its containers, and the message that a client gets for each.
_INSIDE = {
    "log": "there are no logs",
    "exec": "nothing can be executed",
    "attach": "there is nothing to attach to",
    "portforward": "there are no ports to forward",
    "proxy": "there is nothing to proxy to",
}


def reaches_inside(place: Place) -> bool:
    """Whether a path leads into a pod's containers, with any method or body."""
    return place.group == "" and place.plural == "pods" and place.subresource in _INSIDE


def answer(request: Request, place: Place) -> Reply | None:
    """The answer to such a path; None for any other. Raises ApiError 501 for what needs a running container."""
    if request.method == "POST" and not place.name and place.version == "v1":
        body = request.body if isinstance(request.body, dict) else {}
        if place.group == _GROUP:
            return _reviewed(body, place)
        if place.group == _IDENTITY:
            return _identified(body, place)
    if reaches_inside(place):
        message = f"{_INSIDE[place.subresource]}: no container runs in the simulated cluster"
        raise ApiError(501, "NotImplemented", message)
    return None


def _reviewed(body: dict[str, Any], place: Place) -> Reply | None:
    head = {"apiVersion": f"{_GROUP}/v1", "metadata": {}, "spec": body.get("spec") or {}}
    if place.plural in _REVIEWS:
        return Reply(201, {"kind": _REVIEWS[place.plural], **head, "status": {"allowed": True}})
    if place.plural == "selfsubjectrulesreviews":
        return Reply(201, {"kind": "SelfSubjectRulesReview", **head, "status": _RULES})
    return None


def _identified(body: dict[str, Any], place: Place) -> Reply | None:
    head = {"apiVersion": f"{_IDENTITY}/v1", "metadata": {}}
    if place.plural == "selfsubjectreviews":
        return Reply(201, {"kind": "SelfSubjectReview", **head, "status": {"userInfo": _USER}})
    if place.plural == "tokenreviews":
        spec = body.get("spec") or {}
        shown = isinstance(spec, dict) and bool(spec.get("token"))
        status = {"authenticated": True, "user": _USER} if shown else {"authenticated": False}
        return Reply(201, {"kind": "TokenReview", **head, "spec": spec, "status": status})
    return None

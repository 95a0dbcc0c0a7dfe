"""Paths beside the stored objects: who may do what (everything), and what needs a running container (nothing)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.apiserver import Reply, Request
from harness.apiserver.errors import ApiError
from harness.apiserver.routing import Place

_GROUP = "authorization.k8s.io"
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
#: Subresources of a pod that reach into its containers, and what a client is told of each.
_INSIDE = {
    "log": "there are no logs",
    "exec": "nothing can be executed",
    "attach": "there is nothing to attach to",
    "portforward": "there are no ports to forward",
    "proxy": "there is nothing to proxy to",
}


def answer(request: Request, place: Place) -> Reply | None:
    """The answer to such a path; None for any other. Raises ApiError 501 for what needs a running container."""
    if place.group == _GROUP and request.method == "POST" and not place.name:
        return _reviewed(request.body if isinstance(request.body, dict) else {}, place)
    if place.group == "" and place.plural == "pods" and place.subresource in _INSIDE:
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

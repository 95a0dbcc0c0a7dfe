"""Creating CustomResourceDefinitions, and waiting until they are served."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from lockstep.clusters.control_plane.errors import ControlPlaneFailed
from lockstep.clusters.served import NotServed, wait_until_served

Definition = Mapping[str, Any]
#: Takes method, path, body and content type; returns the status and the parsed answer.
Ask = Callable[[str, str, Any, str], tuple[int, Any]]

_COLLECTION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_JSON, _APPLY = "application/json", "application/apply-patch+yaml"


def apply(definitions: Sequence[Definition], ask: Ask) -> None:
    """Create or update the definitions, and wait until their kinds can be used. Raises ControlPlaneFailed."""
    for definition in definitions:
        name = definition["metadata"]["name"]
        target = f"{_COLLECTION}/{quote(name)}?fieldManager=lockstep&force=true"
        status, words = _status_and_words(ask("PATCH", target, definition, _APPLY))
        if status not in (200, 201):
            raise ControlPlaneFailed(f"kube-apiserver refuses the definition of {name}: {words}")
    try:
        wait_until_served(definitions, lambda path: _status_and_words(ask("GET", path, None, _JSON)))
    except NotServed as problem:
        raise ControlPlaneFailed(f"kube-apiserver: {problem}") from None


def _status_and_words(answer: tuple[int, Any]) -> tuple[int, str]:
    status, body = answer
    return status, f"{status} {body.get('message', '') if isinstance(body, dict) else body}"

"""CustomResourceDefinitions, from being sent to being served."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from harness.control_plane.errors import ControlPlaneFailed

Definition = Mapping[str, Any]
#: Method, path, body and content type; the status and the parsed answer.
Ask = Callable[[str, str, Any, str], tuple[int, Any]]

_COLLECTION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_JSON, _APPLY = "application/json", "application/apply-patch+yaml"
_GLANCE = 0.02
_PATIENCE = 30.0


def apply(definitions: Sequence[Definition], ask: Ask) -> None:
    """Create or update the definitions, and wait until their kinds can be used. Raises ControlPlaneFailed."""
    for definition in definitions:
        name = definition["metadata"]["name"]
        target = f"{_COLLECTION}/{quote(name)}?fieldManager=lockstep&force=true"
        status, answer = ask("PATCH", target, definition, _APPLY)
        if status not in (200, 201):
            said = answer.get("message", answer) if isinstance(answer, dict) else answer
            raise ControlPlaneFailed(f"kube-apiserver refuses the definition of {name}: {status} {said}")
    for definition in definitions:
        _wait_until_served(definition, ask)


def _wait_until_served(definition: Definition, ask: Ask) -> None:
    spec = definition["spec"]
    collections = [
        f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}?limit=1"
        for version in spec["versions"]
        if version.get("served", True)
    ]
    deadline = time.monotonic() + _PATIENCE
    while not all(ask("GET", path, None, _JSON)[0] == 200 for path in collections):
        if time.monotonic() > deadline:
            name = definition["metadata"]["name"]
            raise ControlPlaneFailed(f"kube-apiserver does not serve {name} {_PATIENCE:g} s after it was defined")
        time.sleep(_GLANCE)

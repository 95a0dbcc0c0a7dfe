"""The answer to an AdmissionReview (pkg/admission-controller/logic/server.go).

Nothing is kept out because something went wrong here: what cannot be read is allowed as it is. Only VPA objects that
make no sense are refused.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from lockstep.wire.gojson import DecodeError
from lockstep_reference.machinery.field import new_invalid
from lockstep_reference.vpa.admission.handler import Handler
from lockstep_reference.vpa.admission.vpa.wire import parse_vpa
from lockstep_reference.vpa.apis import UPDATE_MODE_AUTO, Object
from lockstep_reference.vpa.utils.panic import NIL_DEREFERENCE, Panic

_VPAS = ("autoscaling.k8s.io", "verticalpodautoscalers")
_AUTO_DEPRECATION_WARNING = (
    'UpdateMode "Auto" is deprecated and will be removed in a future API version. Use explicit update modes like '
    '"Recreate", "Initial", or "InPlaceOrRecreate" instead. See https://github.com/kubernetes/autoscaler/issues/8424 '
    "for more details."
)
_JSON = "application/json"
Answer = tuple[int, Mapping[str, str], bytes]


class AdmissionServer:
    """Answers reviews with the help of one handler per resource. `on_error` is told what upstream logs as an error."""

    def __init__(self, handlers: Sequence[Handler], on_error: Callable[[str], None]) -> None:
        self._handlers = {handler.group_resource: handler for handler in handlers}
        self._on_error = on_error

    async def serve(self, _path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """The answer to one HTTP request (Serve). Raises Panic where upstream does: the connection is cut."""
        content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
        if content_type != _JSON:
            self._on_error(f"contentType={content_type}, expect application/json")
            return HTTPStatus.OK, {}, b""
        review = {
            "kind": "AdmissionReview",
            "apiVersion": "admission.k8s.io/v1",
            "response": await self.admit(body),
        }
        return HTTPStatus.OK, {"Content-Type": "text/plain; charset=utf-8"}, json.dumps(review).encode()

    async def admit(self, body: bytes) -> dict[str, Any]:
        """The AdmissionResponse to an AdmissionReview (admit)."""
        response: dict[str, Any] = {"uid": "", "allowed": True}
        try:
            review = json.loads(body)
        except ValueError as error:
            self._on_error(str(error))
            return response
        request = review.get("request") if isinstance(review, dict) else None
        if request is None:
            raise Panic(NIL_DEREFERENCE)
        response["uid"] = request.get("uid", "")
        resource = request.get("resource") or {}
        group_resource = (resource.get("group", ""), resource.get("resource", ""))
        handler = self._handlers.get(group_resource)
        if handler is None:
            self._on_error(f"not supported resource type: {'.'.join(part for part in group_resource[::-1] if part)}")
            return response
        patches, errors = await handler.get_patches(request)
        if errors and handler.disallow_incorrect_objects:
            if request.get("requestKind") is None:
                raise Panic(NIL_DEREFERENCE)
            kind = request["requestKind"].get("kind", "")
            response["allowed"] = False
            response["status"] = new_invalid(group_resource[0], kind, request.get("name", ""), errors)
        if patches:
            response["patch"] = base64.b64encode(json.dumps(patches).encode()).decode()
            response["patchType"] = "JSONPatch"
        warnings = _deprecation_warnings(group_resource, request)
        return {**response, "warnings": warnings} if warnings else response


def _deprecation_warnings(group_resource: tuple[str, str], request: Object) -> list[str]:
    """About a VPA whose update mode will go away (addDeprecationWarnings)."""
    if group_resource != _VPAS or request.get("object") is None:
        return []
    try:
        vpa = parse_vpa(request["object"])
    except DecodeError:
        return []
    policy = vpa["spec"].get("updatePolicy") or {}
    return [_AUTO_DEPRECATION_WARNING] if policy.get("updateMode") == UPDATE_MODE_AUTO else []

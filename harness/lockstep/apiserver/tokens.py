"""serviceaccounts/NAME/token: a token that names its owner. It is never checked: every request is allowed.

From pkg/registry/core/serviceaccount/storage/token.go. It has the form of a JSON Web Token without a signature.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import Any

import orjson

from lockstep.apiserver import errors
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.state import Call, State
from lockstep.time.clock import EPOCH_NS, SECOND, rfc3339
from lockstep.wire.field import invalid_value

_ISSUER = "https://kubernetes.default.svc"
_USUAL, _SHORTEST, _LONGEST = 3600, 600, 1 << 32


def request_token(state: State, call: Call) -> Reply:
    """POST of a TokenRequest. Raises ApiError 404, 400 or 422."""
    account = call.existing().object["metadata"]
    body = call.request.body if type(call.request.body) is dict else {}
    asked = body.get("spec") or {}
    duration = asked.get("expirationSeconds", _USUAL) if type(asked) is dict else None
    if type(duration) is not int:
        raise errors.bad_request(
            'TokenRequest in version "v1" cannot be handled as a TokenRequest: spec must have the form of a '
            "TokenRequestSpec"
        )
    _check(call, duration)
    audiences = asked.get("audiences") or [_ISSUER]
    end = state.now() + duration * SECOND
    spec = {"audiences": audiences, "expirationSeconds": duration, "boundObjectRef": asked.get("boundObjectRef")}
    token = _token(account, audiences, state.now(), end)
    return Reply(
        201,
        {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"name": call.name, "namespace": call.namespace, "creationTimestamp": state.timestamp()},
            "spec": spec,
            "status": {"token": token, "expirationTimestamp": rfc3339(end)},
        },
    )


def _check(call: Call, duration: int) -> None:
    """ValidateTokenRequest."""
    why = ""
    if duration < _SHORTEST:
        why = "may not specify a duration less than 10 minutes"
    elif duration > _LONGEST:
        why = "may not specify a duration larger than 2^32 seconds"
    if why:
        finding = invalid_value("spec.expirationSeconds", duration, why)
        raise errors.invalid("authentication.k8s.io", "TokenRequest", call.name, [finding])


def _token(account: dict[str, Any], audiences: list[Any], now: int, end: int) -> str:
    namespace, name = account["namespace"], account["name"]
    claims = {
        "aud": audiences,
        "exp": (EPOCH_NS + end) // SECOND,
        "iat": (EPOCH_NS + now) // SECOND,
        "iss": _ISSUER,
        "sub": f"system:serviceaccount:{namespace}:{name}",
        "kubernetes.io": {"namespace": namespace, "serviceaccount": {"name": name, "uid": account["uid"]}},
    }
    parts = ({"alg": "none", "typ": "JWT"}, claims)
    return ".".join([*(urlsafe_b64encode(orjson.dumps(part)).decode().rstrip("=") for part in parts), ""])

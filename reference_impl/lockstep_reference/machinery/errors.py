"""API errors and predicates on them (apimachinery pkg/api/errors/errors.go).

`str(error)` is exactly what client-go's `err.Error()` shows, since that text ends up in events and conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from lockstep.wire.field import FieldError, aggregated
from lockstep.wire.gotext import quote

if TYPE_CHECKING:
    from lockstep_reference.machinery.transport import Response

#: Reasons which an error's HTTP code does not override.
_KNOWN_REASONS = frozenset(
    {
        "Unauthorized",
        "Forbidden",
        "NotFound",
        "AlreadyExists",
        "Conflict",
        "Gone",
        "Invalid",
        "ServerTimeout",
        "StoreReadError",
        "Timeout",
        "TooManyRequests",
        "BadRequest",
        "MethodNotAllowed",
        "NotAcceptable",
        "RequestEntityTooLarge",
        "UnsupportedMediaType",
        "InternalError",
        "Expired",
        "ServiceUnavailable",
    }
)

_GENERIC: dict[int, tuple[str, str]] = {
    HTTPStatus.BAD_REQUEST: ("BadRequest", "the server rejected our request for an unknown reason"),
    HTTPStatus.UNAUTHORIZED: ("Unauthorized", "the server has asked for the client to provide credentials"),
    HTTPStatus.NOT_FOUND: ("NotFound", "the server could not find the requested resource"),
    HTTPStatus.METHOD_NOT_ALLOWED: (
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
    ),
    HTTPStatus.CONFLICT: ("Conflict", "the server reported a conflict"),
    HTTPStatus.UNPROCESSABLE_ENTITY: ("Invalid", "the server rejected our request due to an error in our request"),
    HTTPStatus.TOO_MANY_REQUESTS: (
        "TooManyRequests",
        "the server has received too many requests and has asked us to try again later",
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    HTTPStatus.GATEWAY_TIMEOUT: (
        "Timeout",
        "the server was unable to return a response in the time allotted, but may still be processing the request",
    ),
}


class ApiError(Exception):
    """The server refused a request. Holds its Status; `str()` is the Status message."""

    def __init__(self, status: dict[str, Any]) -> None:
        self.status_object = status
        super().__init__(status.get("message") or "")

    @property
    def status(self) -> int:
        """The HTTP code."""
        return int(self.status_object.get("code") or 0)

    @property
    def reason(self) -> str:
        """The Status reason, such as "NotFound"; "" if unknown."""
        return str(self.status_object.get("reason") or "")

    @property
    def message(self) -> str:
        """What `str()` shows."""
        return str(self.status_object.get("message") or "")

    @property
    def details(self) -> dict[str, Any]:
        """The StatusDetails, empty if there are none."""
        return self.status_object.get("details") or {}

    @property
    def causes(self) -> list[dict[str, Any]]:
        """Each with `reason` (the cause's type), `message` and `field`."""
        return self.details.get("causes") or []


def from_response(response: Response, method: str, resource: str, name: str) -> ApiError:
    """The error of a refused request (rest/request.go, Result.Error). `resource` is `plural[.group]`."""
    body = response.body
    if isinstance(body, dict) and body.get("kind", "Status") == "Status" and body.get("status") == "Failure":
        return ApiError(body)
    return ApiError(_generic_status(response, method, resource, name))


def unstructured_error(response: Response, method: str) -> ApiError:
    """The error of a refused request whose body is not decoded (rest.Result.Raw); it names no resource."""
    return ApiError(_generic_status(response, method, "", ""))


def from_object(obj: Any) -> Exception:
    """The error that a watch's ERROR event carries (FromObject)."""
    if isinstance(obj, dict) and obj.get("kind") == "Status":
        return ApiError(obj)
    return UnexpectedObjectError(f"unexpected object: {obj}")


class UnexpectedObjectError(Exception):
    """The server sent something else where a Status was expected."""


def _generic_status(response: Response, method: str, resource: str, name: str) -> dict[str, Any]:
    """A Status for a reply that holds none (NewGenericServerResponse)."""
    code = response.status
    text = response.body.strip() if isinstance(response.body, str) else "unknown"
    unknown = f"the server responded with the status code {code} but did not return more information"
    reason, message = _GENERIC.get(code, ("", unknown))
    if code == HTTPStatus.CONFLICT and method == "POST":
        reason = "AlreadyExists"
    elif code == HTTPStatus.FORBIDDEN:
        reason, message = "Forbidden", text
    elif code >= HTTPStatus.INTERNAL_SERVER_ERROR and code not in _GENERIC:
        reason = "InternalError"
        message = f'an error on the server ("{text}") has prevented the request from succeeding'
    if resource:
        message += f" ({method.lower()} {resource} {name})" if name else f" ({method.lower()} {resource})"
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
        "details": {"name": name, "causes": [{"reason": "UnexpectedServerResponse", "message": text}]},
    }


def _is(error: BaseException | None, reason: str, code: int) -> bool:
    if not isinstance(error, ApiError):
        return False
    return error.reason == reason or (error.reason not in _KNOWN_REASONS and error.status == code)


def reason_for(error: BaseException | None) -> str:
    """The Status reason, "" for any other error (ReasonForError)."""
    return error.reason if isinstance(error, ApiError) else ""


def is_not_found(error: BaseException | None) -> bool:
    """404: there is no such object."""
    return _is(error, "NotFound", HTTPStatus.NOT_FOUND)


def is_already_exists(error: BaseException | None) -> bool:
    """409 to a create: the name is taken."""
    return reason_for(error) == "AlreadyExists"


def is_conflict(error: BaseException | None) -> bool:
    """409: the object has changed since it was read."""
    return _is(error, "Conflict", HTTPStatus.CONFLICT)


def is_invalid(error: BaseException | None) -> bool:
    """422: the object, or a precondition, is not valid."""
    return _is(error, "Invalid", HTTPStatus.UNPROCESSABLE_ENTITY)


def is_forbidden(error: BaseException | None) -> bool:
    """403: not allowed, by authorization, admission or quota."""
    return _is(error, "Forbidden", HTTPStatus.FORBIDDEN)


def is_timeout(error: BaseException | None) -> bool:
    """504: the server gave up, and the request may have taken effect."""
    return _is(error, "Timeout", HTTPStatus.GATEWAY_TIMEOUT)


def is_too_many_requests(error: BaseException | None) -> bool:
    """429: try later."""
    return isinstance(error, ApiError) and (
        error.reason == "TooManyRequests" or error.status == HTTPStatus.TOO_MANY_REQUESTS
    )


def is_expired(error: BaseException | None) -> bool:
    """The resource version asked for is no longer available (tools/cache/reflector.go, isExpiredError)."""
    return reason_for(error) == "Expired" or _is(error, "Gone", HTTPStatus.GONE)


def has_status_cause(error: BaseException | None, cause: str) -> bool:
    """Whether one of the error's causes is of type `cause`, for instance "NamespaceTerminating"."""
    return isinstance(error, ApiError) and any(each.get("reason") == cause for each in error.causes)


def is_too_large_resource_version(error: BaseException | None) -> bool:
    """The resource version asked for is of the future (tools/cache/reflector.go, isTooLargeResourceVersionError)."""
    if has_status_cause(error, "ResourceVersionTooLarge"):
        return True
    if not is_timeout(error) or not isinstance(error, ApiError):
        return False
    texts = [str(cause.get("message")) for cause in error.causes]
    return "Too large resource version" in texts or "Too large resource version" in error.message


def new_invalid(group: str, kind: str, name: str, findings: Sequence[FieldError]) -> dict[str, Any]:
    """The Status of an object with findings (NewInvalid)."""
    details = {key: value for key, value in {"name": name, "group": group, "kind": kind}.items() if value}
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"{kind}{'.' + group if group else ''} {quote(name)} is invalid: {aggregated(findings)}",
        "reason": "Invalid",
        "details": {**details, "causes": [one.as_cause() for one in findings]},
        "code": 422,
    }

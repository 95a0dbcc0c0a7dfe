"""Failures of requests, with upstream's messages.

A failure is an `ApiError` holding the code and the `Status` object that goes on the wire. The constructors follow
apimachinery/pkg/api/errors/errors.go (`NewNotFound`, `NewConflict` ...).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lockstep.wire.field import FieldError, aggregated
from lockstep.wire.gotext import quote

OPTIMISTIC_LOCK = "the object has been modified; please apply your changes to the latest version and try again"


class ApiError(Exception):
    """A request that failed; `status` is the Status object of the answer."""

    def __init__(self, code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
        }
        if reason:
            self.status["reason"] = reason
        if details is not None:
            self.status["details"] = {key: value for key, value in details.items() if value}
        self.status["code"] = code

    @property
    def reason(self) -> str:
        """The reason of the Status, "" if it has none."""
        return str(self.status.get("reason", ""))

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer: how many seconds clients wait before a retry (responsewriters.ErrorNegotiated)."""
        headers = {"Content-Type": "application/json"}
        wait = (self.status.get("details") or {}).get("retryAfterSeconds", 0)
        return {**headers, "Retry-After": str(wait)} if wait else headers

    def with_cause(self, kind: str, message: str, field: str = "") -> ApiError:
        """This error with one more cause in its details."""
        cause = {"reason": kind, "message": message}
        if field:
            cause["field"] = field
        self.status.setdefault("details", {}).setdefault("causes", []).append(cause)
        return self


def qualified(group: str, resource: str) -> str:
    """`resource.group`, or the resource alone for the core group (schema.GroupResource.String)."""
    return f"{resource}.{group}" if group else resource


def _details(group: str, kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "group": group, "kind": kind, **more}


def not_found(group: str, resource: str, name: str) -> ApiError:
    """404: no object of that name."""
    message = f"{qualified(group, resource)} {quote(name)} not found"
    return ApiError(404, "NotFound", message, _details(group, resource, name))


def unknown_path() -> ApiError:
    """The answer to a path that nothing serves."""
    return ApiError(404, "NotFound", "the server could not find the requested resource", {})


def already_exists(group: str, resource: str, name: str) -> ApiError:
    """409: the name is taken."""
    message = f"{qualified(group, resource)} {quote(name)} already exists"
    return ApiError(409, "AlreadyExists", message, _details(group, resource, name))


def generate_name_conflict(group: str, resource: str, name: str) -> ApiError:
    """409: every generated name was taken."""
    message = (
        f"{qualified(group, resource)} {quote(name)} already exists, the server was not able to generate a "
        "unique name for the object"
    )
    return ApiError(409, "AlreadyExists", message, _details(group, resource, name, retryAfterSeconds=1))


def conflict(group: str, resource: str, name: str, why: str = OPTIMISTIC_LOCK) -> ApiError:
    """409: the write is based on something that has changed; by default, an old version."""
    message = f"Operation cannot be fulfilled on {qualified(group, resource)} {quote(name)}: {why}"
    return ApiError(409, "Conflict", message, _details(group, resource, name))


def forbidden(group: str, resource: str, name: str, why: str) -> ApiError:
    """403: admission refused the request."""
    subject = f"{qualified(group, resource)} {quote(name)}" if name else qualified(group, resource)
    return ApiError(403, "Forbidden", f"{subject} is forbidden: {why}", _details(group, resource, name))


def bad_request(why: str) -> ApiError:
    """400: the request is malformed."""
    return ApiError(400, "BadRequest", why)


def method_not_allowed() -> ApiError:
    """405: the path does not take this method."""
    return ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {})


def unsupported_media_type(accepted: Sequence[str]) -> ApiError:
    """415: the body is of a type that the path does not take."""
    return ApiError(
        415,
        "UnsupportedMediaType",
        f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}",
    )


def expired(message: str) -> ApiError:
    """410: the version lies before the last compaction."""
    return ApiError(410, "Expired", message)


def too_large_resource_version(wanted: int, current: int) -> ApiError:
    """storage.NewTooLargeResourceVersionError: the wanted version lies in the future."""
    error = ApiError(
        504, "Timeout", f"Timeout: Too large resource version: {wanted}, current: {current}", {"retryAfterSeconds": 1}
    )
    return error.with_cause("ResourceVersionTooLarge", "Too large resource version")


def too_many_requests(message: str, retry_after: int) -> ApiError:
    """429: retry after `retry_after` seconds (0: no promise)."""
    return ApiError(429, "TooManyRequests", message, {"retryAfterSeconds": retry_after})


def internal_error(why: str) -> ApiError:
    """500: an error in the server."""
    return ApiError(500, "InternalError", f"Internal error occurred: {why}", {"causes": [{"message": why}]})


def unprocessable() -> ApiError:
    """A JSON patch that does not apply; upstream does not say why (handlers/patch.go, NewGenericServerResponse)."""
    return ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {})


def invalid(group: str, kind: str, name: str, findings: Iterable[FieldError]) -> ApiError:
    """422 Invalid with every finding as a cause (errors.NewInvalid, ErrorList.ToAggregate)."""
    found = list(findings)
    return ApiError(
        422,
        "Invalid",
        f"{qualified(group, kind)} {quote(name)} is invalid: {aggregated(found)}",
        _details(group, kind, name, causes=[one.as_cause() for one in found]),
    )

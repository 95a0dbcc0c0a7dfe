"""One GET to a metrics API, as client-go makes it."""

from __future__ import annotations

from lockstep.wire.gojson import DecodeError
from lockstep.wire.selectors import Selector
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.errors import ApiError, from_response
from lockstep_reference.machinery.transport import Response

#: How a request can fail: it is refused, the connection breaks, or the answer cannot be decoded.
FetchErrors = (ApiError, OSError, DecodeError)


async def get(client: Client, path: str, query: dict[str, str], resource: str, name: str = "") -> Response:
    """The reply to a GET. Raises FetchErrors; messages contain `resource` (`plural.group`) and `name`."""
    response = await client.request("GET", path, query)
    if not response.succeeded:
        raise from_response(response, "GET", resource, name)
    return response


def query_of(**selectors: Selector) -> dict[str, str]:
    """Query parameters, without empty ones: selectors that match everything, or nothing, have no text."""
    return {key: selector.text for key, selector in selectors.items() if selector.text}

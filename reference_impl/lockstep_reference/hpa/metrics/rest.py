"""One GET to a metrics API, as client-go makes it."""

from __future__ import annotations

from lockstep.wire.gojson import DecodeError
from lockstep.wire.selectors import Selector
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.errors import ApiError, from_response
from lockstep_reference.machinery.transport import Response

#: What goes wrong with a request: it is refused, the connection breaks, the answer makes no sense.
FetchErrors = (ApiError, OSError, DecodeError)


async def get(client: Client, path: str, query: dict[str, str], resource: str, name: str = "") -> Response:
    """The reply to a GET. Raises FetchErrors; `resource` (`plural.group`) and `name` are how messages call it."""
    response = await client.request("GET", path, query)
    if not response.succeeded:
        raise from_response(response, "GET", resource, name)
    return response


def query_of(**selectors: Selector) -> dict[str, str]:
    """Query parameters; selectors that restrict nothing, or everything, have no text and are left out."""
    return {key: selector.text for key, selector in selectors.items() if selector.text}

"""Tags of documents that clients keep: a client that sends the tag of its copy learns that it is still valid.

From apiserver/pkg/endpoints/discovery/aggregated/etag.go; kubectl keeps discovery and OpenAPI documents in files.
"""

from __future__ import annotations

import hashlib

from lockstep.apiserver import Reply
from lockstep.apiserver.messages import TextReply


def tagged(reply: Reply, shown: str) -> Reply:
    """The reply with a tag; `shown` is the client's If-None-Match, "" without one."""
    if reply.status != 200:
        return reply
    tag = f'"{hashlib.sha512(reply.raw()).hexdigest().upper()}"'
    headers = {"ETag": tag, "Vary": "Accept", "Cache-Control": "public"}
    if shown == tag:
        unchanged = TextReply(304, "")
        unchanged.headers = headers
        return unchanged
    return Reply(reply.status, reply.body, headers={**reply.headers, **headers})

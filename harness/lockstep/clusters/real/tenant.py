"""Tenants: scenarios that share one real cluster and do not see each other.

Only in the real cluster do a tenant's namespaces and nodes have its prefix: it is added to requests and removed from
answers. The prefix occurs nowhere else, so it is removed as text, from messages of the server, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lockstep.clusters.real import webhook_names
from lockstep.clusters.real.webhook_names import Door, WebhookNames

#: A prefix, as `prefix_of` makes it.
_PREFIX = re.compile(r"lk[0-9a-f]{6}-")
_SCOPED = frozenset({"nodes", "namespaces"}) | webhook_names.RESOURCES
#: The text of an object in a namespace of a tenant.
_IN_A_NAMESPACE = b'"namespace":"lk'
#: Fields whose maps belong to users: their keys are not fields of Kubernetes.
_OPAQUE = frozenset({"labels", "annotations", "matchLabels", "data", "nodeSelector"})
_PREFIXED_KINDS = frozenset({"Node", "Namespace"}) | webhook_names.KINDS


def prefix_of(number: int) -> str:
    """The prefix of a tenant."""
    return f"lk{number & 0xFFFFFF:06x}-"


def owner_of(name: str) -> str:
    """The prefix of a namespace or node; "" if it belongs to no tenant."""
    found = _PREFIX.match(name)
    return found.group() if found else ""


class Tenant:
    """Translates between one scenario and the real cluster. `door`: where the cluster calls the tenant's webhooks."""

    def __init__(self, prefix: str, door: Door | None = None) -> None:
        self.prefix = prefix
        self._webhooks = WebhookNames(prefix, door)
        self._bytes = prefix.encode()

    # -- requests -----------------------------------------------------------------------------------------------

    def path(self, path: str) -> str:
        """A path with the real names of namespaces and nodes."""
        parts = path.split("/")
        for index in range(1, len(parts) - 1):
            if parts[index] in _SCOPED and index in (3, 4) and parts[index + 1]:
                parts[index + 1] = self.prefix + parts[index + 1]
                break
        return "/".join(parts)

    def query(self, query: Mapping[str, str]) -> Mapping[str, str]:
        """A query whose field selector names real namespaces and nodes."""
        selector = query.get("fieldSelector")
        if not selector:
            return query
        terms = [self._term(term) for term in selector.split(",")]
        return {**query, "fieldSelector": ",".join(terms)}

    def _term(self, term: str) -> str:
        field, sign, value = re.match(r"([^=!]*)([=!]*)(.*)", term, re.DOTALL).groups()  # type: ignore[union-attr]
        named = field.endswith(".namespace") or field == "spec.nodeName"
        return f"{field}{sign}{self.prefix}{value}" if named and value else term

    def body(self, body: Any) -> Any:
        """A body with the real names of namespaces and nodes; a copy if anything differs."""
        if isinstance(body, list):
            return [self.body(one) for one in body]
        if not isinstance(body, dict):
            return body
        kind = body.get("kind")
        if isinstance(kind, str) and kind in webhook_names.KINDS:
            body = self._webhooks.outward(body)
        out = {key: self._field(key, value) for key, value in body.items()}
        if isinstance(kind, str) and kind in _PREFIXED_KINDS:  # a schema may have a property of this name
            for holder in ("metadata", ""):
                names = out.get(holder) if holder else out
                if isinstance(names, dict) and isinstance(names.get("name"), str):
                    names["name"] = self.prefix + names["name"]
        return out

    def _field(self, key: str, value: Any) -> Any:
        if key in ("namespace", "nodeName") and isinstance(value, str) and value:
            return self.prefix + value
        return value if key in _OPAQUE else self.body(value)

    # -- answers ----------------------------------------------------------------------------------------------

    def may_own(self, line: bytes) -> bool:
        """A quick check whether an event may be about an object of this tenant. Most are not."""
        return self._bytes in line or _IN_A_NAMESPACE not in line

    def owns(self, one: Mapping[str, Any]) -> bool:
        """Whether an object of the real cluster belongs to this tenant or to none."""
        meta = one.get("metadata") or {}
        scope = meta.get("namespace") or (meta.get("name", "") if one.get("kind") in _PREFIXED_KINDS else "")
        owner = owner_of(scope)
        return owner == self.prefix or (not owner and not meta.get("namespace"))

    def plain(self, raw: bytes) -> bytes:
        """An answer without the prefix."""
        return self._webhooks.plain(raw).replace(self._bytes, b"")

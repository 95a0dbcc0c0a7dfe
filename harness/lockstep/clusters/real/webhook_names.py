"""How a tenant's webhook configurations look in the real cluster, where they apply to all tenants.

In a request, every webhook is restricted to the tenant's namespaces and gets the URL of a server of ours
(`webhook_server`). The URL contains the tenant and the original clientConfig, so nothing has to be stored: in answers a
configuration is again what its writer wrote, and error messages name the original Service.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import orjson

from lockstep.clusters.real.connection import ClusterError

#: Kinds whose objects configure webhooks, and the resources that they are.
KINDS = frozenset({"MutatingWebhookConfiguration"})
RESOURCES = frozenset({"mutatingwebhookconfigurations"})
#: Where they are kept.
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
#: The label that has a namespace's name.
_NAME_LABEL = "kubernetes.io/metadata.name"
_CONDITION = "lockstep-tenant"
_MARK = b"WebhookConfiguration"
Object = dict[str, Any]


class Door(NamedTuple):
    """Where the API server of a real cluster calls our server: the root of its URL, and the authority to trust."""

    root: str
    bundle: str


def decoded(path: str) -> tuple[str, Mapping[str, Any]]:
    """The tenant's prefix and the clientConfig that a path of our server stands for. Raises ValueError."""
    _, prefix, encoded, *_ = (*path.split("/"), "", "")
    return prefix, dict(orjson.loads(base64.urlsafe_b64decode(encoded.encode())))


class WebhookNames:
    """Translates for the tenant with this prefix. Without a door, webhooks are refused."""

    def __init__(self, prefix: str, door: Door | None = None) -> None:
        self._prefix = prefix
        self._door = door
        self._root = f"{door.root}/{prefix}/".encode() if door is not None else b""
        self._url = re.compile(re.escape(self._root) + rb"([A-Za-z0-9_=-]+)")

    # -- requests -----------------------------------------------------------------------------------------------

    def outward(self, configuration: Object) -> Object:
        """The configuration for the real cluster. Raises ClusterError if its calls cannot be directed to us."""
        webhooks = configuration.get("webhooks")
        if not isinstance(webhooks, list):
            return configuration
        if self._door is None:
            raise ClusterError(
                "this cluster cannot call a webhook on this machine, and one that is elsewhere would not be the "
                "scenario's alone: use --environment control-plane or kind"
            )
        return {**configuration, "webhooks": [self._led_to_us(one, self._door) for one in webhooks]}

    def _led_to_us(self, webhook: Object, door: Door) -> Object:
        condition = {"name": _CONDITION, "expression": f"request.namespace.startsWith('{self._prefix}')"}
        conditions = [*(webhook.get("matchConditions") or ()), condition]
        changed = {**webhook, "matchConditions": conditions}
        if "clientConfig" in webhook:
            encoded = base64.urlsafe_b64encode(orjson.dumps(_defaulted(webhook["clientConfig"]))).decode()
            url = f"{door.root}/{self._prefix}/{encoded}"
            changed["clientConfig"] = {"url": url, "caBundle": door.bundle}
        if "namespaceSelector" in webhook:
            changed["namespaceSelector"] = self._selector(webhook["namespaceSelector"], self._real)
        return changed

    def _real(self, namespace: str) -> str:
        return self._prefix + namespace if namespace else namespace

    @staticmethod
    def _selector(selector: Any, name_of: Any) -> Any:
        """A selector of namespaces with their names translated."""
        if not isinstance(selector, dict):
            return selector
        changed = dict(selector)
        if _NAME_LABEL in (selector.get("matchLabels") or {}):
            labels = selector["matchLabels"]
            changed["matchLabels"] = {**labels, _NAME_LABEL: name_of(labels[_NAME_LABEL])}
        if selector.get("matchExpressions"):
            changed["matchExpressions"] = [
                {**one, "values": [name_of(name) for name in one.get("values") or ()]}
                if one.get("key") == _NAME_LABEL and "values" in one
                else one
                for one in selector["matchExpressions"]
            ]
        return changed

    # -- answers ----------------------------------------------------------------------------------------------

    def plain(self, raw: bytes) -> bytes:
        """A JSON answer with the original clientConfigs. Other names lose the prefix elsewhere."""
        if _MARK in raw:
            with suppress(orjson.JSONDecodeError):
                raw = orjson.dumps(self._undone(orjson.loads(raw)))
        if self._root and self._root in raw:
            raw = self._url.sub(lambda found: _service_url(found.group(1)), raw)
        return raw

    def _undone(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._undone(one) for one in value]
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("webhooks"), list):
            return {**value, "webhooks": [self._led_back(one) for one in value["webhooks"]]}
        return {key: self._undone(one) for key, one in value.items()}

    def _led_back(self, webhook: Object) -> Object:
        changed = dict(webhook)
        url = (webhook.get("clientConfig") or {}).get("url", "")
        if self._root and (found := self._url.fullmatch(url.encode())):
            changed["clientConfig"] = orjson.loads(base64.urlsafe_b64decode(found.group(1)))
        conditions = [one for one in webhook.get("matchConditions") or () if one.get("name") != _CONDITION]
        changed.pop("matchConditions", None)
        return changed | ({"matchConditions": conditions} if conditions else {})


def _defaulted(client: Object) -> Object:
    """A clientConfig with the API server's defaults."""
    service = client.get("service")
    return {**client, "service": {"port": 443, **service}} if isinstance(service, dict) else client


def _service_url(encoded: bytes) -> bytes:
    """The URL of a Service in kube-apiserver's messages, without its query."""
    client: Mapping[str, Any] = orjson.loads(base64.urlsafe_b64decode(encoded))
    service = client.get("service")
    if not service:
        return str(client.get("url", "")).encode()
    port, path = service.get("port") or 443, service.get("path") or "/"
    return f"https://{service['name']}.{service['namespace']}.svc:{port}{path}".encode()

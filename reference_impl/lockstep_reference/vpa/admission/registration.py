"""The admission controller registers with the API server (pkg/admission-controller/config.go)."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lockstep_reference.machinery.client import ApiError, Client

_CONFIGURATION = "vpa-webhook-config"
_WEBHOOK = "vpa.k8s.io"
#: Seconds before it registers: by then the server should listen (webHookDelay).
_DELAY = 10.0
_NAME_LABEL = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True)
class Registration:
    """The address of the webhook and its namespaces; named like the flags. `ca_bundle` is PEM."""

    namespace: str
    service: str
    url: str
    by_url: bool
    timeout_seconds: int
    selected_namespace: str
    ignored_namespaces: tuple[str, ...]
    failure_policy_fail: bool
    labels: str
    ca_bundle: str


async def register(client: Client, registration: Registration, on_error: Callable[[str], None]) -> None:
    """Replace the configuration of an earlier process (selfRegistration).

    Raises ApiError and ConnectionError if the old configuration cannot be deleted or the new one created: upstream
    exits then.
    """
    await asyncio.sleep(_DELAY)
    configurations = client.resource("mutatingwebhookconfigurations", "admissionregistration.k8s.io/v1")
    found = False
    with suppress(ApiError, ConnectionError):
        await configurations.get("", _CONFIGURATION)
        found = True
    if found:
        await configurations.delete("", _CONFIGURATION, {})
    await configurations.create("", _configuration(registration, on_error))


def _configuration(registration: Registration, on_error: Callable[[str], None]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": _CONFIGURATION}
    try:
        labels = convert_labels_to_map(registration.labels)
    except ValueError as error:
        on_error(f"Unable to parse webhook labels: {error}")
        labels = {}
    if labels:
        metadata["labels"] = labels
    webhook = {
        "name": _WEBHOOK,
        "clientConfig": _client_config(registration),
        "rules": [
            _rule(["CREATE"], "", "v1", "pods"),
            _rule(["CREATE", "UPDATE"], "autoscaling.k8s.io", "*", "verticalpodautoscalers"),
        ],
        "failurePolicy": "Fail" if registration.failure_policy_fail else "Ignore",
        "namespaceSelector": _namespace_selector(registration),
        "sideEffects": "None",
        "timeoutSeconds": registration.timeout_seconds,
        "admissionReviewVersions": ["v1"],
    }
    return {
        "kind": "MutatingWebhookConfiguration",
        "apiVersion": "admissionregistration.k8s.io/v1",
        "metadata": metadata,
        "webhooks": [webhook],
    }


def _client_config(registration: Registration) -> dict[str, Any]:
    config: dict[str, Any]
    if registration.by_url:
        config = {"url": registration.url}
    else:
        config = {"service": {"namespace": registration.namespace, "name": registration.service}}
    if registration.ca_bundle:
        config["caBundle"] = base64.b64encode(registration.ca_bundle.encode()).decode()
    return config


def _rule(operations: list[str], group: str, version: str, resource: str) -> dict[str, Any]:
    return {"operations": operations, "apiGroups": [group], "apiVersions": [version], "resources": [resource]}


def _namespace_selector(registration: Registration) -> dict[str, Any]:
    """Ignored namespaces come first; if there are none, upstream's list holds one empty name."""
    if registration.ignored_namespaces:
        return _expression("NotIn", list(registration.ignored_namespaces))
    if registration.selected_namespace:
        return _expression("In", [registration.selected_namespace])
    return {}


def _expression(operator: str, values: list[str]) -> dict[str, Any]:
    return {"matchExpressions": [{"key": _NAME_LABEL, "operator": operator, "values": values}]}


def convert_labels_to_map(text: str) -> dict[str, str]:
    """`key1:value1,key2:value2` as labels (convertLabelsToMap). Raises ValueError with upstream's message."""
    labels: dict[str, str] = {}
    if not text:
        return labels
    text = text.strip('"')
    for tag in text.split(","):
        key, colon, value = tag.partition(":")
        if not colon or not key.strip():
            raise ValueError(f"labels '{text}' are invalid, the format should be: 'key1:value1,key2:value2'")
        labels[key.strip()] = value.strip()
    return labels

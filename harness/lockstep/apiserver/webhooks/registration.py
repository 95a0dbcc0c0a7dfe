"""MutatingWebhookConfigurations and ValidatingWebhookConfigurations: defaults and validation.

From pkg/apis/admissionregistration/v1/defaults.go and validation/validation.go. Not checked: match conditions, the CA
bundle, and segments of a service's path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from lockstep.wire import names
from lockstep.wire.field import FieldError, duplicate, invalid_value, not_supported, required

Findings = list[FieldError]
SelectorFindings = Callable[[dict[str, Any], str], Findings]
_VERSIONS = ("v1", "v1beta1")
_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_CHOICES = {
    "failurePolicy": ("Fail", "Ignore"),
    "matchPolicy": ("Equivalent", "Exact"),
    "sideEffects": ("None", "NoneOnDryRun"),
    "reinvocationPolicy": ("IfNeeded", "Never"),
}
_SCOPES = ("*", "Cluster", "Namespaced")
_SEGMENTS, _LONGEST_TIMEOUT, _LAST_PORT = 3, 30, 65535
_FORM = "; desired format: https://host[/path]"


def default_webhooks(payload: dict[str, Any], kind: str) -> None:
    """SetDefaults_MutatingWebhook, SetDefaults_ValidatingWebhook, SetDefaults_Rule, SetDefaults_ServiceReference."""
    hooks = []
    for sent in payload.get("webhooks") or ():
        hook = {
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "namespaceSelector": {},
            "objectSelector": {},
            "timeoutSeconds": 10,
            **({"reinvocationPolicy": "Never"} if kind.startswith("Mutating") else {}),
            **sent,
        }
        client = hook.get("clientConfig") or {}
        hook["clientConfig"] = client
        if "service" in client:
            hook["clientConfig"] = {**client, "service": {"port": 443, **client["service"]}}
        if "rules" in hook:
            hook["rules"] = [{"scope": "*", **rule} for rule in hook["rules"]]
        hooks.append(hook)
    if hooks:
        payload["webhooks"] = hooks


def webhook_findings(payload: dict[str, Any], selector_findings: SelectorFindings) -> Findings:
    """ValidateMutatingWebhookConfiguration."""
    found: Findings = []
    seen: set[str] = set()
    for index, hook in enumerate(payload.get("webhooks") or ()):
        path, name = f"webhooks[{index}]", hook.get("name", "")
        found += _hook_findings(hook, path, selector_findings)
        found += _version_findings(hook.get("admissionReviewVersions") or [], f"{path}.admissionReviewVersions")
        if name in seen:
            found.append(duplicate(f"{path}.name", name))
        elif name:
            seen.add(name)
    return found


def _hook_findings(hook: dict[str, Any], path: str, selector_findings: SelectorFindings) -> Findings:
    found = _name_findings(hook.get("name", ""), f"{path}.name")
    for index, rule in enumerate(hook.get("rules") or ()):
        found += _rule_findings(rule, f"{path}.rules[{index}]")
    for field, choices in _CHOICES.items():
        if field in hook and hook[field] not in choices:
            found.append(not_supported(f"{path}.{field}", hook[field], choices))
    if "sideEffects" not in hook:
        listed = ", ".join(_CHOICES["sideEffects"])
        found.append(required(f"{path}.sideEffects", f"must specify one of {listed}"))
    timeout = hook["timeoutSeconds"]
    if not 1 <= timeout <= _LONGEST_TIMEOUT:
        why = "the timeout value must be between 1 and 30 seconds"
        found.append(invalid_value(f"{path}.timeoutSeconds", timeout, why))
    for field in ("namespaceSelector", "objectSelector"):
        found += selector_findings(hook[field], f"{path}.{field}")
    return found + _client_findings(hook["clientConfig"], f"{path}.clientConfig")


def _name_findings(name: str, path: str) -> Findings:
    """IsFullyQualifiedName."""
    if not name:
        return [required(path)]
    texts = names.dns_subdomain(name)
    if texts:
        return [invalid_value(path, name, ",".join(texts))]
    if len(name.split(".")) < _SEGMENTS:
        why = "should be a domain with at least three segments separated by dots"
        return [invalid_value(path, name, why)]
    return []


def _version_findings(versions: list[str], path: str) -> Findings:
    """ValidateAdmissionReviewVersions."""
    if not versions:
        return [required(path, f"must specify one of {', '.join(_VERSIONS)}")]
    found = [
        invalid_value(f"{path}[{index}]", version, "duplicate version")
        for index, version in enumerate(versions)
        if version in versions[:index]
    ]
    if not set(versions) & set(_VERSIONS):
        found.append(invalid_value(path, versions, f"must include at least one of {', '.join(_VERSIONS)}"))
    return found


def _rule_findings(rule: dict[str, Any], path: str) -> Findings:
    """ValidateRuleWithOperations."""
    operations = rule.get("operations") or []
    found = _list_findings(operations, f"{path}.operations", "operations")
    found += [
        not_supported(f"{path}.operations[{index}]", one, _OPERATIONS)
        for index, one in enumerate(operations)
        if one not in _OPERATIONS
    ]
    found += _list_findings(rule.get("apiGroups") or [], f"{path}.apiGroups", "API groups")
    versions = rule.get("apiVersions") or []
    found += _list_findings(versions, f"{path}.apiVersions", "API versions")
    found += [required(f"{path}.apiVersions[{index}]") for index, one in enumerate(versions) if not one]
    found += _resource_findings(rule.get("resources") or [], f"{path}.resources")
    if rule["scope"] not in _SCOPES:
        found.append(not_supported(f"{path}.scope", rule["scope"], _SCOPES))
    return found


def _list_findings(values: list[str], path: str, what: str) -> Findings:
    if not values:
        return [required(path)]
    if len(values) > 1 and "*" in values:
        return [invalid_value(path, values, f"if '*' is present, must not specify other {what}")]
    return []


def _resource_findings(resources: list[str], path: str) -> Findings:
    """ValidateResources."""
    if not resources:
        return [required(path)]
    found: Findings = []
    subresources: set[str] = set()
    for index, one in enumerate(resources):
        resource, slash, sub = one.partition("/")
        if not one:
            found.append(required(f"{path}[{index}]"))
        if not slash:
            continue
        for wide in (f"{resource}/*", f"*/{sub}"):
            if wide in subresources:
                why = f"if '{wide}' is present, must not specify {one}"
                found.append(invalid_value(f"{path}[{index}]", one, why))
        if "*" in (resource, sub):
            subresources.add(one)
    if len(resources) > 1 and "*/*" in resources:
        found.append(invalid_value(path, resources, "if '*/*' is present, must not specify other resources"))
    plain = [one for one in resources if one and "/" not in one]
    if "*" in resources and plain and plain[-1] != "*":  # upstream remembers the last one only
        why = "if '*' is present, must not specify other resources without subresources"
        found.append(invalid_value(path, resources, why))
    return found


def _client_findings(client: dict[str, Any], path: str) -> Findings:
    if ("url" in client) == ("service" in client):
        return [required(path, "exactly one of url or service is required")]
    if "url" in client:
        return _url_findings(client["url"], f"{path}.url")
    service = client["service"]
    found = [required(f"{path}.service.{part}") for part in ("name", "namespace") if not service.get(part)]
    if not 1 <= service["port"] <= _LAST_PORT:
        why = "port is not valid: must be between 1 and 65535, inclusive"
        found.append(invalid_value(f"{path}.service.port", service["port"], why))
    where = service.get("path", "")
    if where and not where.startswith("/"):
        found.append(invalid_value(f"{path}.service.path", where, "must start with a '/'"))
    return found


def _url_findings(url: str, path: str) -> Findings:
    """ValidateWebhookURL."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    found = []
    if parts.scheme != "https":
        found.append(invalid_value(path, parts.scheme, f"'https' is the only allowed URL scheme{_FORM}"))
    if not host:
        found.append(invalid_value(path, host, f"host must be specified{_FORM}"))
    if at:
        found.append(invalid_value(path, user, "user information is not permitted in the URL"))
    if parts.fragment:
        found.append(invalid_value(path, parts.fragment, "fragments are not permitted in the URL"))
    if parts.query:
        found.append(invalid_value(path, parts.query, "query parameters are not permitted in the URL"))
    return found


def lease_findings(spec: dict[str, Any]) -> Findings:
    """ValidateLeaseSpec (pkg/apis/coordination/validation/validation.go), except for coordinated leader election."""
    found = []
    if spec.get("leaseDurationSeconds", 1) <= 0:
        found.append(invalid_value("spec.leaseDurationSeconds", spec["leaseDurationSeconds"], "must be greater than 0"))
    if spec.get("leaseTransitions", 0) < 0:
        why = "must be greater than or equal to 0"
        found.append(invalid_value("spec.leaseTransitions", spec["leaseTransitions"], why))
    return found

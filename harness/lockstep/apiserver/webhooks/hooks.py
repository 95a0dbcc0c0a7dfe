"""The webhooks of all MutatingWebhookConfigurations, and the requests that each is called for.

From apiserver/pkg/admission/plugin/webhook: configuration/mutating_webhook_manager.go (order),
generic/webhook.go (ShouldCallHook) and predicates/{rules,namespace,object}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.registry import Registry
from lockstep.wire.selectors import selector_from

Object = dict[str, Any]
_GROUP = "admissionregistration.k8s.io"
#: Kinds that configure admission, about which no webhook is asked (IsExemptAdmissionConfigurationResource).
EXEMPT = frozenset(
    f"{owner}{kind}"
    for owner in ("Validating", "Mutating")
    for kind in ("WebhookConfiguration", "AdmissionPolicy", "AdmissionPolicyBinding")
)
_DEFAULT_TIMEOUT = 10


class Hook:
    """One webhook of one configuration, with the defaults of the API."""

    __slots__ = (
        "_known",
        "_known_at",
        "_namespaces",
        "_objects",
        "_rules",
        "client",
        "equivalent",
        "ignores",
        "name",
        "reinvocable",
        "review_versions",
        "side_effects",
        "timeout",
        "uid",
    )

    def __init__(self, configuration: str, position: int, spec: Mapping[str, Any]) -> None:
        self.name: str = spec["name"]
        #: Unique among all webhooks (webhook.WebhookAccessor.GetUID).
        self.uid = f"{configuration}/{self.name}/{position}"
        self.client: Mapping[str, Any] = spec.get("clientConfig") or {}
        self.timeout: int = spec.get("timeoutSeconds") or _DEFAULT_TIMEOUT
        self.ignores = spec.get("failurePolicy") == "Ignore"
        self.reinvocable = spec.get("reinvocationPolicy") == "IfNeeded"
        self.equivalent = spec.get("matchPolicy", "Equivalent") == "Equivalent"
        self.side_effects: str = spec.get("sideEffects") or "Unknown"
        self.review_versions: Sequence[str] = spec.get("admissionReviewVersions") or ()
        self._rules: Sequence[Mapping[str, Any]] = spec.get("rules") or ()
        self._namespaces = selector_from(spec.get("namespaceSelector") or {})
        self._objects = selector_from(spec.get("objectSelector") or {})
        self._known: dict[tuple[Kind, str, str], Kind | None] = {}
        self._known_at = -1

    def concerns(
        self,
        registry: Registry,
        kind: Kind,
        subresource: str,
        payload: Object,
        old: Object | None,
        namespace_labels: Callable[[], Mapping[str, str]],
    ) -> Kind | None:
        """The kind, in the version that the webhook wants; None if it is not asked.

        Raises what `namespace_labels` raises.
        """
        wanted = self._matched(registry, kind, subresource, "CREATE" if old is None else "UPDATE")
        if wanted is None:
            return None
        if not self._namespaces.empty() and not self._namespaces.matches(namespace_labels()):
            return None
        matches = any(self._objects.matches(labels_of(one)) for one in (payload, old) if one is not None)
        return wanted if matches else None

    def cares_for(self, group: str, plural: str, subresource: str, operation: str) -> bool:
        """Whether there is a rule for this, in any version: what a client can know without the object."""
        return any(
            _listed(rule.get("operations") or (), operation)
            and _listed(rule.get("apiGroups") or (), group)
            and any(_is_resource(one, plural, subresource) for one in rule.get("resources") or ())
            for rule in self._rules
        )

    def _matched(self, registry: Registry, kind: Kind, subresource: str, operation: str) -> Kind | None:
        """The result of the rules, computed once for each kind, subresource and operation."""
        if self._known_at != registry.revision:
            self._known.clear()
            self._known_at = registry.revision
        key = (kind, subresource, operation)
        if key not in self._known:
            self._known[key] = self._find(registry, kind, subresource, operation)
        return self._known[key]

    def _find(self, registry: Registry, kind: Kind, subresource: str, operation: str) -> Kind | None:
        if any(_matches(rule, kind, subresource, operation) for rule in self._rules):
            return kind
        if not self.equivalent:
            return None
        others = [one for one in registry if _is_other_version(one, kind)]
        return next(
            (one for rule in self._rules for one in others if _matches(rule, one, subresource, operation)),
            None,
        )


def hooks_of(configurations: Iterable[Object]) -> list[Hook]:
    """Every webhook, in the order in which they are asked: by the name of the configuration, then as listed."""
    ordered = sorted(configurations, key=lambda one: str(one["metadata"]["name"]))
    return [
        Hook(one["metadata"]["name"], position, spec)
        for one in ordered
        for position, spec in enumerate(one.get("webhooks") or ())
    ]


def is_configuration(kind: Kind) -> bool:
    """Whether objects of this kind configure webhooks that may change objects."""
    return kind.kind == "MutatingWebhookConfiguration" and kind.group == _GROUP


def is_exempt(kind: Kind) -> bool:
    """Whether no webhook is ever asked about objects of this kind."""
    return kind.group == _GROUP and kind.kind in EXEMPT


def labels_of(one: Object) -> Mapping[str, str]:
    """The labels of an object."""
    return one["metadata"].get("labels") or {}


def _is_other_version(kind: Kind, asked: Kind) -> bool:
    return kind is not asked and (kind.group, kind.plural) == (asked.group, asked.plural)


def _matches(rule: Mapping[str, Any], kind: Kind, subresource: str, operation: str) -> bool:
    return (
        _in_scope(rule.get("scope") or "*", kind)
        and _listed(rule.get("operations") or (), operation)
        and _listed(rule.get("apiGroups") or (), kind.group)
        and _listed(rule.get("apiVersions") or (), kind.version)
        and any(_is_resource(one, kind.plural, subresource) for one in rule.get("resources") or ())
    )


def _in_scope(scope: str, kind: Kind) -> bool:
    return scope == "*" or (scope == "Namespaced") == kind.namespaced


def _listed(items: Sequence[str], wanted: str) -> bool:
    return "*" in items or wanted in items


def _is_resource(item: str, plural: str, subresource: str) -> bool:
    resource, _, below = item.partition("/")
    return resource in ("*", plural) and below in ("*", subresource)

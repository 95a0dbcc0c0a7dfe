"""The server's state, and the state of a request in progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from lockstep.apiserver import errors
from lockstep.apiserver.aggregation import AggregatedApi
from lockstep.apiserver.features import feature_gates
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Reply, Request
from lockstep.apiserver.registry import Registry
from lockstep.apiserver.store import Collection, Versions
from lockstep.apiserver.stored import Stored
from lockstep.time.clock import rfc3339
from lockstep.wire.field import forbidden_value, not_supported

if TYPE_CHECKING:
    from lockstep.apiserver.webhooks.hooks import Hook

#: apimachinery/pkg/util/rand: no vowels and no similar characters.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
_LONGEST_BASE = 63 - _SUFFIX_LENGTH


class Call:
    """One request, resolved to a kind and a place. Handlers note here what the request changed."""

    __slots__ = (
        "after",
        "before",
        "collection",
        "dry_run",
        "kind",
        "name",
        "namespace",
        "request",
        "subresource",
        "verb",
        "warnings",
    )

    def __init__(
        self,
        request: Request,
        kind: Kind,
        collection: Collection,
        namespace: str,
        name: str,
        subresource: str,
        verb: str,
    ) -> None:
        self.request = request
        self.kind = kind
        self.collection = collection
        self.namespace = namespace
        self.name = name
        self.subresource = subresource
        self.verb = verb
        #: The body of a deletion may still request it.
        self.dry_run = bool(request.query) and asks_for_dry_run(request, _OPTIONS.get(verb, ""))
        self.before: dict[str, Any] | None = None
        self.after: dict[str, Any] | None = None
        #: Warnings of admission for the client.
        self.warnings: tuple[str, ...] = ()

    def existing(self) -> Stored:
        """The stored object that the request names. Raises ApiError 404."""
        stored = self.collection.get(self.namespace, self.name)
        if stored is None:
            raise errors.not_found(self.kind.group, self.kind.plural, self.name)
        return stored

    def conflict(self, why: str = errors.OPTIMISTIC_LOCK) -> errors.ApiError:
        """409 about the object that the request names."""
        return errors.conflict(self.kind.group, self.kind.plural, self.name, why)

    def forbidden(self, name: str, why: str) -> errors.ApiError:
        """403 about an object of the request's kind."""
        return errors.forbidden(self.kind.group, self.kind.plural, name, why)


_FIELD_VALIDATIONS = ("", "Ignore", "Strict", "Warn")
#: The kind of a verb's options.
_OPTIONS = {
    "create": "CreateOptions",
    "update": "UpdateOptions",
    "patch": "PatchOptions",
    "delete": "DeleteOptions",
    "deletecollection": "DeleteOptions",
}


def asks_for_dry_run(request: Request, options: str) -> bool:
    """Whether the options in the query of a write request a dry run. Raises ApiError 422 for invalid options."""
    query, findings = request.query, []
    if not options:
        return False
    if (
        query.get("force")
        and not request.content_type.startswith("application/apply-patch")
        and request.method == "PATCH"
    ):
        findings.append(forbidden_value("force", "may not be specified for non-apply patch"))
    if query.get("dryRun", "All") != "All":
        findings.append(not_supported("dryRun", [query["dryRun"]], ["All"]))
    if query.get("fieldValidation", "") not in _FIELD_VALIDATIONS:
        findings.append(not_supported("fieldValidation", query["fieldValidation"], _FIELD_VALIDATIONS))
    if findings:
        raise errors.invalid("meta.k8s.io", options, "", findings)
    return "dryRun" in query


def is_dry_run(asked: list[str], options: str) -> bool:
    """Whether a write is a dry run. Raises ApiError 422 for an unknown kind of dry run."""
    if not options or not asked:
        return False
    if asked != ["All"]:
        finding = not_supported("dryRun", asked, ["All"])
        raise errors.invalid("meta.k8s.io", options, "", [finding])
    return True


#: Looks at (and may replace parts of) an object before it is stored: (state, call, new object, old object or None).
Admission = Callable[["State", Call, dict[str, Any], "dict[str, Any] | None"], None]


#: A place in an object: names of fields and positions in lists.
Path = tuple[str | int, ...]


class FieldRules(Protocol):
    """Knows which fields there are."""

    def __call__(self, kind: Kind, sent: Any, /) -> tuple[Any, list[Path]]:
        """What was sent, without unknown fields, and the paths of those. `sent` is not changed.

        Raises ValueError for a value that cannot be in its place; the message is Go's.
        """


class State:
    """The whole state of the server. Handlers are functions of a State and a Call."""

    def __init__(self, now: Callable[[], int], seed: int, gates: Mapping[str, bool]) -> None:
        #: The instant, in nanoseconds since the virtual epoch.
        self.now = now
        self.feature_gates = feature_gates(gates)
        self.versions = Versions()
        self.registry = Registry()
        self.collections: dict[str, Collection] = {}
        self._keep: type[Collection] = Collection
        #: Groups that other servers serve, by name.
        self.aggregated: dict[str, AggregatedApi] = {}
        #: Aggregated discovery documents by path, each with its source.
        self.documents: dict[str, tuple[Any, Reply]] = {}
        #: The fields of kinds; None: every sent field is kept.
        self.field_rules: FieldRules | None = None
        #: Run in order: first those that may change the object, then, after validation, those that only judge it.
        self.mutating_admission: list[Admission] = []
        self.validating_admission: list[Admission] = []
        #: The webhooks that may change an object, in the order in which they are asked.
        self.mutating_webhooks: list[Hook] = []
        #: Called after an object was added, changed or removed: (kind, old, new).
        self.after_write: list[Callable[[State, Kind, dict[str, Any] | None, dict[str, Any] | None], None]] = []
        self._random = Random(seed)
        self._uids = 0
        self._reviews = 0

    def collection(self, resource: str) -> Collection:
        """The collection of a resource (`plural.group`), made on first use."""
        found = self.collections.get(resource)
        if found is None:
            found = self.collections[resource] = self._keep(self.versions)
        return found

    def use(self, keep: type[Collection]) -> None:
        """Start empty, with collections of this type."""
        self._keep = keep
        self.collections.clear()

    def timestamp(self) -> str:
        """The instant as metav1.Time writes it."""
        return rfc3339(self.now())

    def next_uid(self) -> str:
        """UIDs ascend in order of creation, which makes upstream's tie-breaks by UID repeatable."""
        self._uids += 1
        return f"00000000-0000-4000-8000-{self._uids:012x}"

    def next_review(self) -> str:
        """A uid for a question to a webhook."""
        self._reviews += 1
        return f"00000000-0000-4000-9000-{self._reviews:012x}"

    def generated_name(self, prefix: str) -> str:
        """names.SimpleNameGenerator.GenerateName, from the seed."""
        suffix = "".join(self._random.choices(_ALPHABET, k=_SUFFIX_LENGTH))
        return prefix[:_LONGEST_BASE] + suffix

    def wrote(self, kind: Kind, old: dict[str, Any] | None, new: dict[str, Any] | None) -> None:
        """Notify all that follow writes; None for absent."""
        for notify in self.after_write:
            notify(self, kind, old, new)

    def put(self, kind: Kind, namespace: str, name: str, payload: dict[str, Any]) -> Stored:
        """Store the next version of an object for the server itself; `payload` then belongs to the store."""
        collection = self.collection(kind.collection)
        before = collection.get(namespace, name)
        stored = collection.put(namespace, name, payload)
        self.wrote(kind, before.object if before else None, stored.object)
        return stored

"""What this server does not do, as data: the documentation is generated from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """One difference from a real kube-apiserver."""

    topic: str
    #: What happens here.
    here: str
    #: What a real server does.
    real: str


LIMITS: tuple[Limit, ...] = (
    Limit(
        "Authentication and authorization",
        "Every request is allowed; the actor is a plain name.",
        "Requests are authenticated, then authorized (RBAC).",
    ),
    Limit("UIDs", "Ascend in order of creation, so that tie-breaks by UID are repeatable.", "Random version 4 UUIDs."),
    Limit("Generated names", "Drawn from the run's seed.", "Drawn from the system's randomness."),
    Limit("Media types", "JSON only.", "JSON, YAML, protobuf, CBOR, and tables for kubectl."),
    Limit(
        "Items of a list",
        "Carry apiVersion and kind, like objects that are read alone.",
        "Leave them out for built-in kinds.",
    ),
    Limit("Unknown fields", "Kept; fieldValidation is ignored.", "Dropped, warned about or refused."),
    Limit(
        "Custom resource schemas",
        "Not checked: no pruning, defaulting, conversion or validation by OpenAPI or CEL.",
        "Checked against the definition's structural schema.",
    ),
    Limit(
        "Deletion of a definition",
        "Its objects go at once, without events for each deletion's grace.",
        "A controller deletes them, then a finalizer is removed.",
    ),
    Limit(
        "Validation",
        "Metadata, and the parts of pods, workloads, events, quotas and scales that controllers touch.",
        "Every field of every kind.",
    ),
    Limit(
        "Defaults",
        "Pods, workloads, namespaces, limit ranges; not volumes, services, jobs or autoscalers.",
        "Every kind.",
    ),
    Limit(
        "Managed fields",
        "Kept for writers that use apply; other writers leave no trace in them.",
        "Every write updates them, and every field has an owner.",
    ),
    Limit("Apply conflicts", "Only between appliers.", "Between all writers."),
    Limit("Merge keys", "One table by field name.", "Struct tags of the Go types, per field."),
    Limit(
        "Quota usage",
        "Released at the instant the object goes.",
        "Recomputed by a controller, a moment after the object went.",
    ),
    Limit(
        "Quota scopes",
        "Terminating, NotTerminating, BestEffort, NotBestEffort; no scopeSelector, no cross-namespace affinity.",
        "All scopes and selectors.",
    ),
    Limit(
        "Admission",
        "NamespaceLifecycle, LimitRanger, ResourceQuota.",
        "Some twenty plugins more: service account, priority, default tolerations, storage ...",
    ),
    Limit(
        "Bookmarks",
        "At the end of a WatchList's first part, and when a scenario sends them.",
        "Also about once a minute.",
    ),
    Limit(
        "Ends of watches",
        "A watch lives until one side ends it; timeoutSeconds is ignored.",
        "Ended at random after 30 to 60 minutes, or after timeoutSeconds.",
    ),
    Limit(
        "Reads at version 0",
        "As fresh as any other, unless the run asks for a stale cache.",
        "From a cache that may be behind.",
    ),
    Limit("Event lifetime", "Kept for ever.", "Deleted after an hour."),
    Limit("Pod updates", "A refused change names the fields that differ.", "Prints a Go-syntax diff."),
    Limit("Warnings", "None are sent.", "Warning headers on deprecated or doubtful fields."),
    Limit("Discovery", "Legacy documents only; no OpenAPI.", "Aggregated discovery and OpenAPI v2 and v3."),
    Limit(
        "Subresources",
        "status, scale, binding, eviction, resize, ephemeralcontainers, finalize.",
        "Also log, exec, attach, port-forward, proxy, token.",
    ),
    Limit("Services", "Stored as data; no cluster IPs, ports or endpoints are assigned.", "Allocated on creation."),
    Limit("The `/watch/` path prefix", "Unknown path.", "Still served, deprecated."),
)

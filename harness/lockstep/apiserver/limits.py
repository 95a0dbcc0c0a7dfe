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
    Limit(
        "Media types",
        "JSON; over HTTP also YAML, tables for kubectl, and requests (not answers) in protobuf. No CBOR.",
        "JSON, YAML, protobuf, CBOR, and tables for kubectl.",
    ),
    Limit(
        "Items of a list",
        "Carry apiVersion and kind, like objects that are read alone.",
        "Leave them out for built-in kinds.",
    ),
    Limit(
        "Release and feature gates",
        "Those of 1.36, whichever release the controllers are of: its defaults, messages and gates. A scenario's gates "
        "are the server's as well.",
        "The server may be newer than its controllers by a minor release, or as old.",
    ),
    Limit(
        "Unknown fields",
        "In a run, kept, but for autoscalers, scales and custom resources with a schema, where they are dropped; "
        "fieldValidation is ignored. Over HTTP, dropped, warned about or refused.",
        "Dropped, warned about or refused.",
    ),
    Limit(
        "Built-in kinds",
        "In a run, those that controllers of workloads and autoscalers meet. Over HTTP, all that are v1; of those that "
        "nobody here acts on, only metadata and types are checked.",
        "All kinds, in every version that is served.",
    ),
    Limit(
        "Types of values",
        "Over HTTP, every field is checked and the error is Go's. In a run, so are autoscalers, scales and metadata; "
        "of other kinds, the fields that the server reads. A number's spelling is not kept (`1e3` counts as `1000.0`).",
        "Every field.",
    ),
    Limit(
        "Custom resource schemas",
        "Pruned, defaulted and validated, with ratcheting; a definition without a schema lets everything pass, and one "
        "with keywords or rules that are not understood is refused. Of CEL, comparisons, has() and the logical "
        "operators. No conversion; x-kubernetes-list-type counts for apply alone. Findings come in the order of the "
        "schema.",
        "All keywords and all of CEL; a schema is required. Findings about the fields of one object come in any order.",
    ),
    Limit(
        "Deletion of a definition",
        "Its objects go at once, without events for each deletion's grace.",
        "A controller deletes them, then a finalizer is removed.",
    ),
    Limit(
        "Validation",
        "Metadata, autoscalers, scales, budgets, leases and webhook configurations (without match conditions and CA "
        "bundles); of pods, resizes, workloads, jobs, events and quotas the parts that controllers touch.",
        "Every field of every kind.",
    ),
    Limit(
        "Defaults",
        "Pods, workloads, jobs, namespaces, limit ranges, autoscalers, webhook configurations; not volumes or "
        "services.",
        "Every kind.",
    ),
    Limit(
        "Managed fields",
        "Kept for writers that use apply; other writers leave no trace in them.",
        "Every write updates them, and every field has an owner; where only that changes, as with the first scale that "
        "a writer sends or a resize that comes to nothing, the object still gets a new version.",
    ),
    Limit("Apply conflicts", "Only between appliers.", "Between all writers."),
    Limit(
        "Quota usage",
        "Counted as soon as there is a quota, and just after each object that comes or goes.",
        "Counted by a controller, a moment after; only an object that comes is charged at once, just before it is "
        "stored.",
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
        "Webhooks",
        "MutatingWebhookConfigurations, about objects that are created or changed, with AdmissionReview v1. Match "
        "conditions do not count; validating webhooks are stored and never asked; there are no admission policies. "
        "Audit annotations are dropped, and userInfo has a name only.",
        "Also before deletions and connections and on evictions and bindings, with AdmissionReview v1beta1, and "
        "validating webhooks last; match conditions and policies are CEL.",
    ),
    Limit(
        "How webhooks are reached",
        "By the Service that is named, in-process. No TLS, so the CA bundle does not count; a plain URL leads nowhere.",
        "HTTPS to an endpoint of the Service, or to the URL, with the certificate checked.",
    ),
    Limit(
        "Bookmarks",
        "At the end of a WatchList's first part, and when a scenario sends them; over HTTP once a minute, but not of "
        "kinds that are served in several versions.",
        "Also about once a minute.",
    ),
    Limit(
        "Ends of watches",
        "A watch lives until one side ends it; timeoutSeconds counts over HTTP only, where 45 minutes are the most.",
        "Ended at random after 30 to 60 minutes, or after timeoutSeconds.",
    ),
    Limit(
        "Reads at version 0",
        "As fresh as any other, unless the run asks for a stale cache.",
        "From a cache that may be behind.",
    ),
    Limit("Event lifetime", "Kept for ever.", "Deleted after an hour."),
    Limit(
        "Empty fields",
        "Left out of conditions, events and states of containers.",
        "Null or empty: a condition's lastProbeTime, an event's eventTime, a container's lastState and the like are "
        "always there.",
    ),
    Limit(
        "Empty objects",
        "A dry run of a deletion that would take the last finalizer away is answered with a kind and no more.",
        "With the zero value of its Go type.",
    ),
    Limit(
        "Refused patches",
        "An object that a patch made undecodable is quoted as it is stored.",
        "With its fields in the order of the Go types, and its managed fields.",
    ),
    Limit(
        "Tables",
        "The columns of the usual kinds, without descriptions.",
        "Every column has a description, taken from the API's documentation.",
    ),
    Limit("Pod updates", "A refused change names the fields that differ.", "Prints a Go-syntax diff."),
    Limit("Warnings", "Over HTTP, about unknown fields; else none.", "Also about deprecated or doubtful fields."),
    Limit(
        "Discovery",
        "Legacy and aggregated documents, without storage hashes; over HTTP with ETags, and OpenAPI v3. What "
        "changes shows at once.",
        "Also OpenAPI v2 and v3. What other servers have is asked for about once a minute.",
    ),
    Limit(
        "Resizes",
        "Resources of containers. Resources of a pod as a whole, static and Windows pods are not looked at.",
        "Those, too.",
    ),
    Limit("Apply of a scale", "Refused (415).", "Moves the ownership of spec.replicas between both objects."),
    Limit(
        "Subresources",
        "status, scale, binding, eviction, resize, ephemeralcontainers, finalize, approval, token (unsigned).",
        "Also log, exec, attach, port-forward, proxy.",
    ),
    Limit(
        "Aggregated APIs",
        "The three metrics APIs, as soon as a scenario speaks of them; of their versions, it prefers the one that the "
        "scenario names first.",
        "Any group for which there is an APIService, ordered by its priorities.",
    ),
    Limit("Services", "Stored as data; no cluster IPs, ports or endpoints are assigned.", "Allocated on creation."),
    Limit("The `/watch/` path prefix", "Unknown path.", "Still served, deprecated."),
)

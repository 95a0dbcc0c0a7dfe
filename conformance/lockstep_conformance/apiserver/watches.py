"""Watches: where they start, what they show, how they end."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_CACHER = "apiserver/pkg/storage/cacher/cacher.go: Watch"
_OPTIONS = "apimachinery/pkg/apis/meta/internalversion/validation/validation.go"


def _labelled(name: str, **labels: str) -> dict[str, object]:
    body = bodies.config_map(name)
    body["metadata"]["labels"] = labels
    return body


@api_scenario(
    "watches/from-a-version",
    must="A watch from a version MUST show every later change, in order, once.",
    source=_CACHER,
)
def from_version(api: Api) -> None:
    made = api.post(api.to("configmaps"), bodies.config_map("one")).body
    api.patch(api.to("configmaps", "one"), {"data": {"a": "1"}})
    api.post(api.to("configmaps"), bodies.config_map("two"))
    watched = api.watch(api.to("configmaps"), resourceVersion=made["metadata"]["resourceVersion"])
    watched.take(2)
    api.delete(api.to("configmaps", "one"))
    api.patch(api.to("configmaps", "two"), {"data": {"a": "1"}})
    watched.take(2)


@api_scenario("watches/from-now", must="A watch without a version MUST begin with what is there.", source=_CACHER)
def from_now(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("b"))
    api.post(api.to("configmaps"), bodies.config_map("a"))
    watched = api.watch(api.to("configmaps"))
    cached = api.watch(api.to("configmaps"), resourceVersion="0")
    for one in (watched, cached):
        one.take(2)
    api.post(api.to("configmaps"), bodies.config_map("c"))
    for one in (watched, cached):
        one.take(1)


@api_scenario("watches/of-one", must="A watch of one object MUST show its changes only.", source=_CACHER)
def of_one(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    watched = api.watch(api.to("configmaps"), fieldSelector="metadata.name=one")
    watched.take(1)
    api.post(api.to("configmaps"), bodies.config_map("two"))
    api.patch(api.to("configmaps", "one"), {"data": {"a": "1"}})
    watched.take(1)


@api_scenario(
    "watches/of-all-namespaces", must="A watch of all namespaces MUST show the changes of each.", source=_CACHER
)
def all_namespaces(api: Api) -> None:
    made = api.post(api.to("configmaps"), _labelled("one", run=api.token)).body
    version = made["metadata"]["resourceVersion"]
    selector = f"run={api.token}"
    watched = api.watch(api.to("configmaps", namespace=""), labelSelector=selector, resourceVersion=version)
    api.post(api.to("configmaps"), _labelled("two", run=api.token))
    watched.take(1)


@api_scenario(
    "watches/selected",
    must="An object that comes into a selection MUST show as ADDED, one that leaves it as DELETED.",
    source="apiserver/pkg/storage/cacher/cache_watcher.go: convertToWatchEvent",
)
def selected(api: Api) -> None:
    version = api.post(api.to("configmaps"), _labelled("one", x="no")).body["metadata"]["resourceVersion"]
    watched = api.watch(api.to("configmaps"), resourceVersion=version, labelSelector="x=yes")
    path = api.to("configmaps", "one")
    api.patch(path, {"metadata": {"labels": {"x": "yes"}}})
    api.patch(path, {"data": {"a": "1"}})
    api.patch(path, {"metadata": {"labels": {"x": "no"}}, "data": {"a": "2"}})
    api.patch(path, {"data": {"a": "3"}})
    api.patch(path, {"metadata": {"labels": {"x": "yes"}}})
    api.delete(path)
    watched.take(5)


@api_scenario(
    "watches/selected-by-field",
    must="Field selectors MUST move objects in and out like labels do.",
    source="apiserver/pkg/storage/cacher/cache_watcher.go: convertToWatchEvent",
)
def selected_by_field(api: Api) -> None:
    version = api.post(api.to("pods"), bodies.pod()).body["metadata"]["resourceVersion"]
    running = api.watch(api.to("pods"), resourceVersion=version, fieldSelector="status.phase=Running")
    unbound = api.watch(api.to("pods"), resourceVersion=version, fieldSelector="spec.nodeName=")
    api.post(
        api.to("pods", "one", "binding"), {"metadata": {"name": "one"}, "target": {"kind": "Node", "name": "node-1"}}
    )
    api.patch(api.to("pods", "one", "status"), {"status": {"phase": "Running"}})
    api.patch(api.to("pods", "one", "status"), {"status": {"phase": "Succeeded"}})
    running.take(2)
    unbound.take(1)


@api_scenario(
    "watches/too-old",
    must="A watch from a version that is gone MUST end with one ERROR of code 410.",
    source="apiserver/pkg/storage/cacher/watch_cache.go: getAllEventsSinceLocked",
)
def too_old(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group))
    watched = api.watch(api.to_custom(f"{group}/v1", "widgets"), resourceVersion="1")
    watched.take(1)


@api_scenario(
    "watches/initial-events",
    must="A WatchList MUST begin with all objects and a bookmark that says so.",
    source="apiserver/pkg/storage/cacher/cacher.go: Watch",
)
def initial_events(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("b"))
    api.post(api.to("configmaps"), bodies.config_map("a"))
    options = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    watched = api.watch(api.to("configmaps"), **options)
    watched.take(3)
    api.post(api.to("configmaps"), bodies.config_map("c"))
    watched.take(1)
    empty = api.watch(api.to("secrets"), **options)
    empty.take(1)
    selected = api.watch(api.to("configmaps"), fieldSelector="metadata.name=a", **options)
    selected.take(2)


@api_scenario(
    "watches/no-initial-events", must="Without initial events, a watch MUST begin with the next change.", source=_CACHER
)
def no_initial_events(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    options = {"sendInitialEvents": "false", "resourceVersionMatch": "NotOlderThan"}
    watched = api.watch(api.to("configmaps"), **options)
    api.post(api.to("configmaps"), bodies.config_map("two"))
    watched.take(1)


@api_scenario(
    "watches/bad-options", must="Options of a watch that contradict each other MUST be refused.", source=_OPTIONS
)
def bad_options(api: Api) -> None:
    path = api.to("configmaps")
    api.watch(path, sendInitialEvents="true")
    api.watch(path, sendInitialEvents="true", resourceVersionMatch="Exact")
    api.watch(path, resourceVersionMatch="NotOlderThan", resourceVersion="1")
    api.watch(path, resourceVersion="abc")
    api.watch(path, sendInitialEvents="maybe", resourceVersionMatch="NotOlderThan")
    api.watch(path, labelSelector="a b c=")
    api.watch(path, fieldSelector="spec.nonsense=1")


@api_scenario(
    "watches/timeout",
    must="A watch MUST end, without an error, when its time is over.",
    source="apiserver/pkg/endpoints/handlers/get.go: ListResource",
    over_http=True,
)
def timeout(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    watched = api.watch(api.to("configmaps"), timeoutSeconds="1")
    watched.take(1)
    watched.take(1)


@api_scenario(
    "watches/status-and-scale", must="Writes through subresources MUST show as changes of the object.", source=_CACHER
)
def subresources(api: Api) -> None:
    version = api.post(api.to("replicasets"), bodies.workload()).body["metadata"]["resourceVersion"]
    watched = api.watch(api.to("replicasets"), resourceVersion=version)
    api.patch(api.to("replicasets", "web", "scale"), {"spec": {"replicas": 3}})
    api.patch(api.to("replicasets", "web", "status"), {"status": {"replicas": 3}})
    watched.take(2)


@api_scenario(
    "watches/two-versions",
    must="A watch MUST show objects in the API version of its path.",
    source="apiserver/pkg/endpoints/handlers/response.go",
)
def two_versions(api: Api) -> None:
    old = f"/apis/autoscaling/v1/namespaces/{api.namespace}/horizontalpodautoscalers"
    version = api.post(old, bodies.autoscaler(version="v1", targetCPUUtilizationPercentage=50)).body["metadata"][
        "resourceVersion"
    ]
    in_old = api.watch(old, resourceVersion=version)
    in_new = api.watch(api.to("horizontalpodautoscalers"), resourceVersion=version)
    api.patch(f"{old}/web", {"spec": {"maxReplicas": 8}})
    api.delete(f"{old}/web")
    in_old.take(2)
    in_new.take(2)


@api_scenario(
    "watches/of-custom-resources", must="Custom resources MUST be watched like built-in ones.", source=_CACHER
)
def custom(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group))
    path = api.to_custom(f"{group}/v1", "widgets")
    version = api.post(path, bodies.custom(group)).body["metadata"]["resourceVersion"]
    watched = api.watch(path, resourceVersion=version)
    api.patch(f"{path}/one", {"spec": {"size": 1}})
    api.delete(f"{path}/one")
    watched.take(2)


@api_scenario(
    "watches/of-namespaces-gone",
    must="A watch in a namespace that is not there MUST be empty, not refused.",
    source=_CACHER,
)
def nowhere(api: Api) -> None:
    watched = api.watch(api.to("configmaps", namespace="nowhere"))
    watched.take(0)


@api_scenario(
    "watches/future-version", must="A watch from a version that is not there yet MUST wait for it.", source=_CACHER
)
def future(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    watched = api.watch(api.to("configmaps"), resourceVersion="999999999")
    api.post(api.to("configmaps"), bodies.config_map("two"))
    watched.take(0)

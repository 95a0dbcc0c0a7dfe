"""Deletion: at once, gracefully, or in two phases."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_DELETE = "apiserver/pkg/registry/generic/registry/store.go: Delete"
_GRACE = "apiserver/pkg/registry/rest/delete.go: BeforeDelete"
_UID = "11111111-2222-4333-8444-555555555555"


def _placed(api: Api, name: str = "one", **metadata: Any) -> None:
    """A pod on a node: somebody has to confirm its end."""
    api.post(api.to("pods"), bodies.pod(name, spec={"nodeName": "node-1"}, **metadata))


@api_scenario(
    "deletion/at-once",
    must="An object that nothing holds MUST go at once, and the answer MUST name it.",
    source=_DELETE,
)
def at_once(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map())
    api.delete(api.to("configmaps", "one"))
    api.get(api.to("configmaps", "one"))
    api.delete(api.to("configmaps", "one"))


@api_scenario(
    "deletion/answers",
    must="The answer to a DELETE MUST be the object, or a Status, as its kind has it.",
    source="ReturnDeletedObject of the kinds' stores",
)
def answers(api: Api) -> None:
    for plural, body in {
        "pods": bodies.pod(),
        "replicasets": bodies.workload(),
        "deployments": bodies.workload("Deployment"),
        "horizontalpodautoscalers": bodies.autoscaler(),
        "poddisruptionbudgets": bodies.budget(minAvailable=1),
        "leases": bodies.lease(),
        "resourcequotas": bodies.quota(pods="1"),
        "jobs": bodies.job(),
        "serviceaccounts": {"metadata": {"name": "robot"}},
    }.items():
        api.post(api.to(plural), body)
        api.delete(api.to(plural, body["metadata"]["name"]))


@api_scenario(
    "deletion/graceful",
    must="A pod on a node MUST get a deletion time, and stay until it is deleted with grace 0.",
    source=_GRACE,
)
def graceful(api: Api) -> None:
    _placed(api)
    watched = api.watch(api.to("pods"))
    watched.take(1)
    api.delete(api.to("pods", "one"))
    api.get(api.to("pods", "one"))
    api.delete(api.to("pods", "one"))
    api.delete(api.to("pods", "one"), {"gracePeriodSeconds": 60})
    api.delete(api.to("pods", "one"), {"gracePeriodSeconds": 10})
    api.delete(api.to("pods", "one"), {"gracePeriodSeconds": 0})
    api.get(api.to("pods", "one"))
    watched.take(4)


@api_scenario(
    "deletion/grace-from-the-query",
    must="Delete options MUST count in the query where there is no body.",
    source="apiserver/pkg/endpoints/handlers/delete.go: DeleteResource",
)
def grace_query(api: Api) -> None:
    _placed(api)
    api.delete(api.to("pods", "one"), gracePeriodSeconds="60")
    api.delete(api.to("pods", "one"), gracePeriodSeconds="x")
    api.delete(api.to("pods", "one"), gracePeriodSeconds="0")


@api_scenario(
    "deletion/grace-of-the-spec",
    must="terminationGracePeriodSeconds MUST be the grace if none is asked for.",
    source=_GRACE,
)
def grace_spec(api: Api) -> None:
    body = bodies.pod(spec={"nodeName": "node-1", "terminationGracePeriodSeconds": 60})
    api.post(api.to("pods"), body)
    api.delete(api.to("pods", "one"))
    body = bodies.pod("quick", spec={"nodeName": "node-1", "terminationGracePeriodSeconds": 0})
    api.post(api.to("pods"), body)
    api.delete(api.to("pods", "quick"))
    api.get(api.to("pods", "quick"))


@api_scenario("deletion/negative-grace", must="A negative grace MUST be taken for one second.", source=_GRACE)
def negative(api: Api) -> None:
    _placed(api)
    api.delete(api.to("pods", "one"), {"gracePeriodSeconds": -5})


@api_scenario(
    "deletion/of-unplaced-pods",
    must="A pod on no node, or a finished one, MUST go at once.",
    source="pkg/registry/core/pod/strategy.go: CheckGracefulDelete",
)
def unplaced(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    watched = api.watch(api.to("pods"))
    watched.take(1)
    api.delete(api.to("pods", "one"))
    watched.take(2)
    _placed(api, "done")
    api.patch(api.to("pods", "done", "status"), {"status": {"phase": "Succeeded"}})
    api.delete(api.to("pods", "done"))
    api.get(api.to("pods", "done"))


@api_scenario(
    "deletion/finalizers",
    must="An object with finalizers MUST stay, marked, until the last of them is gone.",
    source=_DELETE,
)
def finalizers(api: Api) -> None:
    body = bodies.config_map("one", a="1")
    body["metadata"]["finalizers"] = ["example.com/a", "example.com/b"]
    api.post(api.to("configmaps"), body)
    watched = api.watch(api.to("configmaps"))
    watched.take(1)
    path = api.to("configmaps", "one")
    api.delete(path)
    api.delete(path)
    api.patch(path, {"data": {"a": "2"}})
    api.patch(path, {"metadata": {"finalizers": ["example.com/a", "example.com/b", "example.com/c"]}})
    api.patch(path, {"metadata": {"finalizers": ["example.com/b"]}})
    api.post(api.to("configmaps"), bodies.config_map("one"))
    api.patch(path, {"metadata": {"finalizers": None}})
    api.get(path)
    watched.take(4)


@api_scenario("deletion/finalizers-of-pods", must="A pod with finalizers MUST outlive its grace.", source=_DELETE)
def pod_finalizers(api: Api) -> None:
    _placed(api, finalizers=["example.com/keep"])
    path = api.to("pods", "one")
    api.delete(path)
    api.delete(path, {"gracePeriodSeconds": 0})
    api.get(path)
    api.patch(path, {"metadata": {"finalizers": []}})
    api.get(path)


@api_scenario(
    "deletion/finalizers-first", must="A pod whose finalizers go first MUST still wait for its grace.", source=_DELETE
)
def finalizers_first(api: Api) -> None:
    _placed(api, finalizers=["example.com/keep"])
    path = api.to("pods", "one")
    api.delete(path)
    api.patch(path, {"metadata": {"finalizers": None}})
    api.get(path)
    api.delete(path, {"gracePeriodSeconds": 0})


@api_scenario(
    "deletion/last-finalizer-by-put",
    must="A PUT that takes the last finalizer away MUST delete the object.",
    source="apiserver/pkg/registry/generic/registry/store.go: deleteWithoutFinalizers",
)
def by_put(api: Api) -> None:
    body = bodies.workload()
    body["metadata"]["finalizers"] = ["example.com/a"]
    api.post(api.to("replicasets"), body)
    marked = api.delete(api.to("replicasets", "web")).body
    watched = api.watch(api.to("replicasets"))
    del marked["metadata"]["finalizers"]
    api.put(api.to("replicasets", "web"), marked)
    watched.take(2)


@api_scenario(
    "deletion/preconditions",
    must="A deletion MUST be refused with 409 if its preconditions do not hold.",
    source=_GRACE,
)
def preconditions(api: Api) -> None:
    made = api.post(api.to("configmaps"), bodies.config_map()).body["metadata"]
    path = api.to("configmaps", "one")
    api.delete(path, {"preconditions": {"uid": _UID}})
    api.delete(path, {"preconditions": {"resourceVersion": "1"}})
    api.patch(path, {"data": {"a": "1"}})
    api.delete(path, {"preconditions": {"uid": made["uid"], "resourceVersion": made["resourceVersion"]}})
    api.delete(path, {"preconditions": {"uid": made["uid"]}})


@api_scenario(
    "deletion/preconditions-of-pods", must="Preconditions MUST be checked before a graceful deletion.", source=_GRACE
)
def pod_preconditions(api: Api) -> None:
    _placed(api)
    api.delete(api.to("pods", "one"), {"preconditions": {"uid": _UID}})
    api.delete(api.to("pods", "one"), {"preconditions": {"resourceVersion": "1"}})
    api.get(api.to("pods", "one"))


@api_scenario(
    "deletion/foreground",
    must="Foreground MUST mark the object with a finalizer and let it stay.",
    source="apiserver/pkg/registry/generic/registry/store.go: deletionFinalizersForGarbageCollection",
)
def foreground(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    watched = api.watch(api.to("replicasets"))
    watched.take(1)
    path = api.to("replicasets", "web")
    api.delete(path, {"propagationPolicy": "Foreground"})
    api.get(path)
    api.delete(path, {"propagationPolicy": "Foreground"})
    api.delete(path, {"propagationPolicy": "Background"})
    api.get(path)
    watched.take(2)


@api_scenario(
    "deletion/orphan",
    must="Orphan MUST mark the object with a finalizer and let it stay.",
    source="apiserver/pkg/registry/generic/registry/store.go: deletionFinalizersForGarbageCollection",
)
def orphan(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    path = api.to("replicasets", "web")
    api.delete(path, {"propagationPolicy": "Orphan"})
    api.delete(path, {"propagationPolicy": "Foreground"})
    api.patch(path, {"metadata": {"finalizers": None}})
    api.get(path)


@api_scenario(
    "deletion/orphan-dependents",
    must="The old option orphanDependents MUST still count.",
    source="apiserver/pkg/registry/generic/registry/store.go: shouldOrphanDependents",
)
def orphan_dependents(api: Api) -> None:
    for flag in (True, False):
        api.post(api.to("replicasets"), bodies.workload())
        api.delete(api.to("replicasets", "web"), {"orphanDependents": flag})
        api.patch(api.to("replicasets", "web"), {"metadata": {"finalizers": None}})


@api_scenario(
    "deletion/default-policies",
    must="A deletion without a policy MUST follow what the kind has as its default.",
    source="DefaultGarbageCollectionPolicy of the kinds' strategies",
)
def default_policies(api: Api) -> None:
    controller = bodies.workload("ReplicationController", selector=dict(bodies.LABELS))
    for plural, body in {
        "replicationcontrollers": {**controller, "apiVersion": "v1"},
        "jobs": bodies.job(),
        "replicasets": bodies.workload(),
        "statefulsets": bodies.workload("StatefulSet", serviceName="web"),
    }.items():
        api.post(api.to(plural), body)
        api.delete(api.to(plural, body["metadata"]["name"]))


@api_scenario(
    "deletion/finalizer-as-policy",
    must="A garbage collection finalizer that is there MUST count as the policy, if none is named.",
    source="apiserver/pkg/registry/generic/registry/store.go: shouldDeleteDependents",
)
def finalizer_policy(api: Api) -> None:
    for name in ("orphan", "foregroundDeletion"):
        body = bodies.workload()
        body["metadata"]["finalizers"] = [name]
        api.post(api.to("replicasets"), body)
        api.delete(api.to("replicasets", "web"))
        api.patch(api.to("replicasets", "web"), {"metadata": {"finalizers": None}})


@api_scenario(
    "deletion/bad-options",
    must="Options that contradict each other, or are unknown, MUST be refused.",
    source="apimachinery/pkg/apis/meta/v1/validation/validation.go: ValidateDeleteOptions",
)
def bad_options(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map())
    path = api.to("configmaps", "one")
    api.delete(path, {"propagationPolicy": "Sideways"})
    api.delete(path, {"propagationPolicy": "Orphan", "orphanDependents": True})
    api.delete(path, {"dryRun": ["Some"]})
    api.delete(path, {"gracePeriodSeconds": "soon"})
    api.delete(path, {"preconditions": "none"})
    api.delete(path, {"kind": "Pod", "apiVersion": "v1"})
    api.delete(path, propagationPolicy="Sideways")
    api.get(path)


@api_scenario(
    "deletion/of-collections",
    must="A DELETE of a collection MUST delete what its selectors name, and answer with a list.",
    source="apiserver/pkg/registry/generic/registry/store.go: DeleteCollection",
)
def collection(api: Api) -> None:
    for name in ("a", "b", "c"):
        body = bodies.config_map(name)
        body["metadata"]["labels"] = {"group": "x" if name != "b" else "y"}
        api.post(api.to("configmaps"), body)
    watched = api.watch(api.to("configmaps"), labelSelector="group")
    watched.take(3)
    api.delete(api.to("configmaps"), labelSelector="group=x")
    api.get(api.to("configmaps"), labelSelector="group")
    api.delete(api.to("configmaps"), labelSelector="a b c=")
    api.delete(api.to("configmaps"), fieldSelector="metadata.name=b")
    watched.take(3)


@api_scenario(
    "deletion/of-collections-with-finalizers",
    must="In a collection, an object with finalizers MUST be marked only.",
    source="apiserver/pkg/registry/generic/registry/store.go: DeleteCollection",
)
def collection_marked(api: Api) -> None:
    body = bodies.config_map("held")
    body["metadata"] |= {"finalizers": ["example.com/keep"], "labels": {"a": "b"}}
    api.post(api.to("configmaps"), body)
    _placed(api)
    api.delete(api.to("configmaps"), labelSelector="a=b")
    api.delete(api.to("pods"), {"gracePeriodSeconds": 5})
    api.get(api.to("configmaps", "held"))
    api.get(api.to("pods", "one"))


@api_scenario(
    "deletion/dry-run", must="A dry run MUST answer as the deletion would, and delete nothing.", source=_DELETE
)
def dry_run(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map())
    path = api.to("configmaps", "one")
    api.delete(path, dryRun="All")
    api.delete(path, {"dryRun": ["All"]})
    api.get(path)
    _placed(api)
    api.delete(api.to("pods", "one"), {"dryRun": ["All"]})
    api.get(api.to("pods", "one"))
    api.delete(api.to("configmaps"), dryRun="All")
    api.get(path)


@api_scenario(
    "deletion/events",
    must="A watcher MUST see the last state of what was deleted, at the version of its deletion.",
    source="apiserver/pkg/storage/etcd3/watcher.go: transform",
)
def events(api: Api) -> None:
    made = api.post(api.to("configmaps"), bodies.config_map("one", a="1")).body
    watched = api.watch(api.to("configmaps"), resourceVersion=made["metadata"]["resourceVersion"])
    api.patch(api.to("configmaps", "one"), {"data": {"a": "2"}})
    api.delete(api.to("configmaps", "one"))
    later = api.post(api.to("configmaps"), bodies.config_map("two")).body
    watched.take(3)
    api.get(api.to("configmaps", later["metadata"]["name"]))


@api_scenario(
    "deletion/again-in-the-background",
    must="A deletion that takes back the finalizer of an earlier one, and leaves none, MUST NOT ask for a version.",
    source="apiserver/pkg/registry/generic/registry/store.go: Delete",
)
def again_in_the_background(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group))
    custom = api.to_custom(f"{group}/v1", "widgets")
    for path, body in (
        (api.to("configmaps"), bodies.config_map()),
        (api.to("pods"), bodies.pod()),
        (api.to("replicasets"), bodies.workload()),
        (custom, bodies.custom(group)),
    ):
        made = api.post(path, body).body
        one = f"{path}/{made['metadata']['name']}"
        api.delete(one, {"propagationPolicy": "Orphan"})
        version = api.get(one).body["metadata"]["resourceVersion"]
        background = {"propagationPolicy": "Background"}
        with_version = {**background, "preconditions": {"uid": made["metadata"]["uid"], "resourceVersion": version}}
        api.delete(one, with_version)
        for options in (with_version, background):
            api.delete(one, {**options, "dryRun": ["All"]})
        api.get(one)
        api.delete(one, background)
        api.get(one)

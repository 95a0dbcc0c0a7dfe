"""Resource versions: every change has its own, nothing else has one, and a stale writer is told so."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_UPDATE = "apiserver/pkg/registry/generic/registry/store.go: Update"
_PATCH = "apiserver/pkg/endpoints/handlers/patch.go"


@api_scenario(
    "versions/each-write-has-its-own", must="Every change of an object MUST give it a higher version.", source=_UPDATE
)
def each_write(api: Api) -> None:
    path = api.to("configmaps")
    one = api.post(path, bodies.config_map("one", a="1")).body
    api.post(path, bodies.config_map("two"))
    api.put(api.to("configmaps", "one"), {**one, "data": {"a": "2"}})
    api.patch(api.to("configmaps", "two"), {"data": {"b": "1"}})
    api.get(path)


@api_scenario("versions/no-op-put", must="A PUT that changes nothing MUST NOT change the version.", source=_UPDATE)
def no_op_put(api: Api) -> None:
    one = api.post(api.to("configmaps"), bodies.config_map("one", a="1")).body
    watched = api.watch(api.to("configmaps"), resourceVersion=one["metadata"]["resourceVersion"])
    api.put(api.to("configmaps", "one"), one)
    api.put(api.to("configmaps", "one"), bodies.config_map("one", a="1"))
    api.put(api.to("configmaps", "one"), bodies.config_map("one", a="2"))
    watched.take(1)


@api_scenario(
    "versions/no-op-patches",
    must="A patch of any kind that changes nothing MUST NOT change the version.",
    source=_PATCH,
)
def no_op_patches(api: Api) -> None:
    path = api.to("configmaps", "one")
    api.post(api.to("configmaps"), bodies.config_map("one", a="1"))
    api.patch(path, {"data": {"a": "1"}})
    api.patch(path, {"data": {"a": "1"}}, "strategic")
    api.patch(path, [{"op": "replace", "path": "/data/a", "value": "1"}], "json")
    api.patch(path, [], "json")
    api.patch(path, {})


@api_scenario(
    "versions/no-op-status",
    must="A status write that changes nothing, or only the spec, MUST NOT change the version.",
    source="pkg/registry/apps/replicaset/strategy.go",
)
def no_op_status(api: Api) -> None:
    made = api.post(api.to("replicasets"), bodies.workload()).body
    path = api.to("replicasets", "web", "status")
    api.put(path, made)
    api.put(path, {**made, "spec": {**made["spec"], "replicas": 7}})
    api.patch(path, {"status": {"replicas": 0}})
    api.patch(path, {"spec": {"replicas": 7}})


@api_scenario("versions/stale-put", must="A PUT with an old version MUST be refused with 409 Conflict.", source=_UPDATE)
def stale_put(api: Api) -> None:
    one = api.post(api.to("configmaps"), bodies.config_map("one", a="1")).body
    path = api.to("configmaps", "one")
    api.patch(path, {"data": {"a": "2"}})
    api.put(path, {**one, "data": {"a": "3"}})
    api.put(path, one)
    api.get(path)


@api_scenario(
    "versions/stale-put-of-status", must="A status PUT with an old version MUST be refused with 409.", source=_UPDATE
)
def stale_status(api: Api) -> None:
    one = api.post(api.to("replicasets"), bodies.workload()).body
    api.patch(api.to("replicasets", "web"), {"spec": {"replicas": 3}})
    api.put(api.to("replicasets", "web", "status"), {**one, "status": {"replicas": 1}})


@api_scenario(
    "versions/put-without-version",
    must="A PUT without a version MUST replace whatever is there, where the kind allows it.",
    source="AllowUnconditionalUpdate of the kinds' strategies",
)
def unconditional_put(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one", a="1"))
    api.put(api.to("configmaps", "one"), bodies.config_map("one", b="2"))
    api.post(api.to("leases"), bodies.lease(holderIdentity="me"))
    api.put(api.to("leases", "lock"), bodies.lease(holderIdentity="you"))
    api.post(api.to("poddisruptionbudgets"), bodies.budget(minAvailable=1))
    api.put(api.to("poddisruptionbudgets", "guard"), bodies.budget(minAvailable=2))


@api_scenario(
    "versions/stale-patch",
    must="A patch that names an old version MUST be refused with 409; one that names none MUST NOT.",
    source=_PATCH,
)
def stale_patch(api: Api) -> None:
    old = api.post(api.to("configmaps"), bodies.config_map("one", a="1")).body["metadata"]["resourceVersion"]
    path = api.to("configmaps", "one")
    fresh = api.patch(path, {"data": {"a": "2"}}).body["metadata"]["resourceVersion"]
    api.patch(path, {"metadata": {"resourceVersion": old}, "data": {"a": "3"}})
    api.patch(path, {"metadata": {"resourceVersion": old}, "data": {"a": "3"}}, "strategic")
    api.patch(path, [{"op": "replace", "path": "/metadata/resourceVersion", "value": old}], "json")
    api.patch(path, {"metadata": {"resourceVersion": fresh}, "data": {"a": "3"}})


@api_scenario(
    "versions/patch-with-other-uid", must="A patch that names another uid MUST be refused with 409.", source=_PATCH
)
def patch_with_uid(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    path = api.to("configmaps", "one")
    api.patch(path, {"metadata": {"uid": "11111111-2222-4333-8444-555555555555"}, "data": {"a": "1"}})
    api.patch(path, {"metadata": {"uid": "11111111-2222-4333-8444-555555555555"}}, "strategic")


@api_scenario(
    "versions/put-with-other-uid", must="A PUT that names another uid MUST be refused with 409.", source=_UPDATE
)
def put_with_uid(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    body = bodies.config_map("one", a="1")
    body["metadata"]["uid"] = "11111111-2222-4333-8444-555555555555"
    api.put(api.to("configmaps", "one"), body)
    api.post(api.to("replicasets"), bodies.workload())
    other = bodies.workload()
    other["metadata"]["uid"] = "11111111-2222-4333-8444-555555555555"
    api.put(api.to("replicasets", "web"), other)


@api_scenario(
    "versions/malformed",
    must="A version that is no number MUST be refused in a write.",
    source="storage/api_object_versioner.go",
)
def malformed(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    body = bodies.config_map("one", a="1")
    body["metadata"]["resourceVersion"] = "abc"
    api.put(api.to("configmaps", "one"), body)
    api.patch(api.to("configmaps", "one"), {"metadata": {"resourceVersion": "abc"}})
    fresh = bodies.config_map("two")
    fresh["metadata"]["resourceVersion"] = "5"
    api.post(api.to("configmaps"), fresh)


@api_scenario(
    "versions/future-put", must="A PUT with a version that was never given MUST be refused with 409.", source=_UPDATE
)
def future_put(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    body = bodies.config_map("one", a="1")
    body["metadata"]["resourceVersion"] = "999999999"
    api.put(api.to("configmaps", "one"), body)

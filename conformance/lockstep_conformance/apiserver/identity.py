"""What the server itself writes into metadata, and what a body must agree with."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_CREATE = "apiserver/pkg/registry/rest/create.go: FillObjectMetaSystemFields"
_UPDATE = "apiserver/pkg/registry/rest/update.go: BeforeUpdate"
_UID = "11111111-2222-4333-8444-555555555555"


@api_scenario(
    "identity/system-fields-on-create",
    must="What the server keeps for itself MUST be ignored in a body that creates.",
    source=_CREATE,
)
def system_fields(api: Api) -> None:
    body = bodies.pod("one", generation=9, selfLink="/x", deletionGracePeriodSeconds=5)
    body["metadata"] |= {"uid": _UID, "creationTimestamp": "2001-01-01T00:00:00Z"}
    body["metadata"]["deletionTimestamp"] = "2001-01-01T00:00:00Z"
    api.post(api.to("pods"), body)


@api_scenario(
    "identity/kept-on-update", must="No update MUST change what names the object and its times.", source=_UPDATE
)
def kept(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    path = api.to("configmaps", "one")
    body = bodies.config_map("one", a="1")
    body["metadata"] |= {"creationTimestamp": "2001-01-01T00:00:00Z", "generation": 7}
    api.put(path, body)
    api.patch(path, {"metadata": {"creationTimestamp": None, "generation": 7}})
    api.patch(path, {"metadata": {"deletionTimestamp": "2001-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3}})
    api.patch(path, {"metadata": {"uid": None}})
    api.patch(path, {"metadata": {"generateName": "x-"}})


@api_scenario(
    "identity/generation",
    must="A change of the spec, and of nothing else, MUST count a generation.",
    source="PrepareForUpdate",
)
def generation(api: Api) -> None:
    api.post(api.to("deployments"), bodies.workload("Deployment", replicas=1))
    path = api.to("deployments", "web")
    api.patch(path, {"spec": {"replicas": 2}})
    api.patch(path, {"metadata": {"labels": {"a": "b"}}})
    api.patch(api.to("deployments", "web", "status"), {"status": {"replicas": 1}})
    api.patch(path, {"metadata": {"annotations": {"a": "b"}}})
    api.patch(api.to("deployments", "web", "scale"), {"spec": {"replicas": 5}})
    api.get(path)


@api_scenario(
    "identity/generation-of-pods",
    must="A pod MUST have a generation, which its spec's changes move.",
    source="pkg/registry/core/pod/strategy.go",
)
def generation_of_pods(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod("one", spec={"activeDeadlineSeconds": 100}))
    api.patch(api.to("pods", "one"), {"spec": {"activeDeadlineSeconds": 50}})
    api.patch(api.to("pods", "one"), {"metadata": {"labels": {"a": "b"}}})


@api_scenario(
    "identity/no-generation",
    must="Kinds without a status of their own MUST NOT have a generation.",
    source="PrepareForCreate of the kinds' strategies",
)
def no_generation(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map())
    api.post(api.to("leases"), bodies.lease(holderIdentity="me"))
    api.post(api.to("horizontalpodautoscalers"), bodies.autoscaler())
    api.post(api.to("resourcequotas"), bodies.quota(pods="5"))
    api.post(api.to("serviceaccounts"), {"metadata": {"name": "robot"}})


@api_scenario(
    "identity/name-mismatch",
    must="A body with another name than its path MUST be refused with 400.",
    source="apiserver/pkg/endpoints/handlers/rest.go: checkName",
)
def name_mismatch(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    api.put(api.to("configmaps", "one"), bodies.config_map("two"))
    nameless = bodies.config_map("one")
    del nameless["metadata"]["name"]
    api.put(api.to("configmaps", "one"), nameless)
    api.patch(api.to("configmaps", "one"), {"metadata": {"name": "two"}})
    api.patch(api.to("configmaps", "one"), [{"op": "remove", "path": "/metadata/name"}], "json")


@api_scenario(
    "identity/namespace-mismatch",
    must="A body with another namespace than its path MUST be refused with 400.",
    source="apiserver/pkg/registry/rest/create.go: EnsureObjectNamespaceMatchesRequestNamespace",
)
def namespace_mismatch(api: Api) -> None:
    body = bodies.config_map("one")
    body["metadata"]["namespace"] = "elsewhere"
    api.post(api.to("configmaps"), body)
    api.post(api.to("configmaps"), bodies.config_map("one"))
    api.put(api.to("configmaps", "one"), body)
    api.patch(api.to("configmaps", "one"), {"metadata": {"namespace": "elsewhere"}})
    api.patch(api.to("configmaps", "one"), {"metadata": {"namespace": None}})


@api_scenario(
    "identity/kind-mismatch",
    must="A body of another kind or version than its path MUST be refused with 400.",
    source="apiserver/pkg/endpoints/handlers/create.go",
)
def kind_mismatch(api: Api) -> None:
    body = bodies.config_map()
    api.post(api.to("configmaps"), {**body, "kind": "Secret"})
    api.post(api.to("configmaps"), {**body, "kind": "Nonsense"})
    api.post(api.to("configmaps"), {**body, "apiVersion": "v2"})
    api.post(api.to("configmaps"), {**body, "apiVersion": "apps/v1"})
    api.post(api.to("replicasets"), {**bodies.workload(), "apiVersion": "apps/v1beta1"})
    api.post(api.to("configmaps"), bodies.config_map())
    api.patch(api.to("configmaps", "one"), {"kind": "Secret"})
    api.patch(api.to("configmaps", "one"), {"apiVersion": "v2"})


@api_scenario(
    "identity/kind-may-be-left-out",
    must="A body without kind and version MUST be taken for what its path names.",
    source="apimachinery/pkg/runtime/serializer/json/json.go: Decode",
)
def kind_left_out(api: Api) -> None:
    body = bodies.config_map()
    del body["kind"], body["apiVersion"]
    api.post(api.to("configmaps"), body)
    body["metadata"]["name"] = "two"
    api.post(api.to("configmaps"), {**body, "kind": "ConfigMap"})
    body["metadata"]["name"] = "three"
    api.post(api.to("configmaps"), {**body, "apiVersion": "v1"})


@api_scenario("identity/wrong-uid-on-create", must="A uid in a body that creates MUST be ignored.", source=_CREATE)
def uid_on_create(api: Api) -> None:
    body = bodies.config_map()
    body["metadata"]["uid"] = _UID
    made = api.post(api.to("configmaps"), body).body
    api.put(api.to("configmaps", "one"), {**made, "data": {"a": "1"}})


@api_scenario(
    "identity/owner-references",
    must="An owner reference MUST name version, kind, name and uid, and one controller at most.",
    source="apimachinery/pkg/api/validation/objectmeta.go: ValidateOwnerReferences",
)
def owner_references(api: Api) -> None:
    good = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": _UID}
    lists = [
        [good],
        [{**good, "uid": ""}],
        [{**good, "name": ""}, {**good, "kind": ""}],
        [{**good, "apiVersion": ""}],
        [{**good, "apiVersion": "a/b/c"}],
        [{**good, "apiVersion": "v1", "kind": "Event"}],
        [{**good, "controller": True}, {**good, "name": "other", "uid": _UID.replace("1", "2"), "controller": True}],
        [good, good],
        [{**good, "controller": "yes"}],
    ]
    for references in lists:
        body = bodies.config_map()
        body["metadata"]["ownerReferences"] = references
        api.post(api.to("configmaps"), body, dryRun="All")


@api_scenario(
    "identity/owner-references-change",
    must="Owner references MUST be free to change, and be merged by uid.",
    source="apimachinery/pkg/apis/meta/v1/types.go: ObjectMeta",
)
def owner_references_change(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    first = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": _UID}
    path = api.to("pods", "one")
    api.patch(path, {"metadata": {"ownerReferences": [first]}}, "strategic")
    api.patch(path, {"metadata": {"ownerReferences": [{**first, "controller": True}]}}, "strategic")
    api.patch(
        path, {"metadata": {"ownerReferences": [{**first, "name": "b", "uid": _UID.replace("1", "2")}]}}, "strategic"
    )
    api.patch(path, {"metadata": {"ownerReferences": [{"$patch": "delete", "uid": _UID}]}}, "strategic")
    api.patch(path, {"metadata": {"ownerReferences": None}})

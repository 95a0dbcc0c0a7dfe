"""Names: given, generated, refused."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_CREATE = "apiserver/pkg/registry/rest/create.go: BeforeCreate"
_NAMES = "apimachinery/pkg/api/validation/objectmeta.go"


@api_scenario(
    "naming/generated", must="generateName MUST give a name of that prefix and five characters.", source=_CREATE
)
def generated(api: Api) -> None:
    body = bodies.config_map()
    body["metadata"] = {"generateName": "some-"}
    first = api.post(api.to("configmaps"), body).body
    api.post(api.to("configmaps"), body)
    api.get(api.to("configmaps", first["metadata"]["name"]))


@api_scenario(
    "naming/generated-is-second", must="A given name MUST go before generateName, which is kept.", source=_CREATE
)
def both(api: Api) -> None:
    body = bodies.config_map("given")
    body["metadata"]["generateName"] = "some-"
    api.post(api.to("configmaps"), body)
    api.post(api.to("configmaps"), body)


@api_scenario(
    "naming/generated-from-long-prefix",
    must="A long generateName MUST be cut so that the name has at most 63 characters.",
    source="apiserver/pkg/storage/names/generate.go",
)
def long_prefix(api: Api) -> None:
    body = bodies.config_map()
    body["metadata"] = {"generateName": "x" * 70}
    api.post(api.to("configmaps"), body)


@api_scenario(
    "naming/generated-from-bad-prefix", must="A generateName that gives no valid name MUST be refused.", source=_NAMES
)
def bad_prefix(api: Api) -> None:
    body = bodies.config_map()
    body["metadata"] = {"generateName": "Bad_"}
    api.post(api.to("configmaps"), body)
    pod = bodies.pod()
    pod["metadata"] = {"generateName": "Bad_"}
    api.post(api.to("pods"), pod)


@api_scenario("naming/none", must="An object without a name MUST be refused.", source=_NAMES)
def none(api: Api) -> None:
    body = bodies.config_map()
    body["metadata"] = {}
    api.post(api.to("configmaps"), body)
    del body["metadata"]
    api.post(api.to("configmaps"), body)
    pod = bodies.pod()
    pod["metadata"] = {}
    api.post(api.to("pods"), pod)


@api_scenario("naming/taken", must="A name that is taken MUST be refused with 409 AlreadyExists.", source=_CREATE)
def taken(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    api.post(api.to("configmaps"), bodies.config_map("one", a="1"))
    api.post(api.to("replicasets"), bodies.workload())
    api.post(api.to("replicasets"), bodies.workload())


@api_scenario("naming/invalid", must="A name that is no DNS subdomain MUST be refused.", source=_NAMES)
def invalid(api: Api) -> None:
    for name in ("Upper", "under_score", "-dash", "dot.", "a" * 254, "a/b", "..", "%41"):
        api.post(api.to("configmaps"), bodies.config_map(name))


@api_scenario("naming/of-labels", must="A name of a kind that needs a DNS label MUST have no dots.", source=_NAMES)
def of_labels(api: Api) -> None:
    api.post(api.to("namespaces"), {"metadata": {"name": f"{api.token}.dots"}})
    api.post(api.to("namespaces"), {"metadata": {"name": "x" * 64}})
    api.post(api.to("statefulsets"), bodies.workload("StatefulSet", "with.dots", serviceName="web"))


@api_scenario(
    "naming/reused",
    must="A name that is free again MUST give an object with another uid.",
    source=_CREATE,
)
def reused(api: Api) -> None:
    for _ in range(2):
        api.post(api.to("configmaps"), bodies.config_map("one"))
        api.delete(api.to("configmaps", "one"))


@api_scenario(
    "naming/labels-and-annotations",
    must="Keys and values of labels and annotations MUST be of their syntax.",
    source="apimachinery/pkg/apis/meta/v1/validation/validation.go: ValidateLabels",
)
def labels(api: Api) -> None:
    for labels in ({"a b": "c"}, {"a": "b c"}, {"/a": "b"}, {"x" * 64: "b"}, {"a": "x" * 64}, {"Ex.com/a": "b"}):
        body = bodies.config_map()
        body["metadata"]["labels"] = labels
        api.post(api.to("configmaps"), body)
    body = bodies.config_map()
    body["metadata"]["annotations"] = {"a b": "c", "a": "any text at all"}
    api.post(api.to("configmaps"), body)


@api_scenario(
    "naming/types-of-metadata",
    must="Metadata of the wrong type MUST be refused with 400.",
    source="encoding/json",
)
def types(api: Api) -> None:
    for part in ({"labels": {"a": 1}}, {"labels": ["a"]}, {"name": 5}, {"finalizers": "x"}, {"annotations": "x"}):
        body = bodies.config_map()
        body["metadata"] = {"name": "one", **part}
        api.post(api.to("configmaps"), body)


@api_scenario(
    "naming/finalizers",
    must="A finalizer MUST be a qualified name, and a bare one MUST be a well-known one.",
    source=_NAMES,
)
def finalizers(api: Api) -> None:
    for name in ("bad name", "bare", "orphan", "example.com/good", ""):
        body = bodies.config_map("one")
        body["metadata"]["finalizers"] = [name]
        api.post(api.to("configmaps"), body, dryRun="All")
        pod = bodies.pod("one", finalizers=[name])
        api.post(api.to("pods"), pod, dryRun="All")

"""JSON patches, merge patches and strategic merge patches."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_PATCH = "apiserver/pkg/endpoints/handlers/patch.go"
_STRATEGIC = "apimachinery/pkg/util/strategicpatch/patch.go"


@api_scenario(
    "patches/json", must="A JSON patch MUST be applied operation by operation, and completely or not.", source=_PATCH
)
def json(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one", a="1", b="2"))
    path = api.to("configmaps", "one")
    api.patch(path, [{"op": "test", "path": "/data/a", "value": "1"}, {"op": "remove", "path": "/data/b"}], "json")
    api.patch(path, [{"op": "add", "path": "/data/c~1d", "value": "3"}], "json")
    api.patch(path, [{"op": "copy", "from": "/data/a", "path": "/data/e"}], "json")
    api.patch(path, [{"op": "move", "from": "/data/e", "path": "/data/f"}], "json")
    api.patch(path, [{"op": "add", "path": "/metadata/labels", "value": {"x": "y"}}], "json")
    api.patch(
        path,
        [{"op": "replace", "path": "/data/a", "value": "9"}, {"op": "test", "path": "/data/a", "value": "8"}],
        "json",
    )
    api.get(path)


@api_scenario(
    "patches/json-that-fail", must="A JSON patch that cannot be applied MUST be refused with 422.", source=_PATCH
)
def json_failing(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one", a="1"))
    path = api.to("configmaps", "one")
    api.patch(path, [{"op": "test", "path": "/data/a", "value": "2"}], "json")
    api.patch(path, [{"op": "remove", "path": "/data/missing"}], "json")
    api.patch(path, [{"op": "replace", "path": "/data/missing", "value": "1"}], "json")
    api.patch(path, [{"op": "add", "path": "/nothing/here", "value": "1"}], "json")
    api.patch(path, [{"op": "jump", "path": "/data/a"}], "json")
    api.patch(path, [{"op": "test", "path": "/data/missing", "value": None}], "json")
    api.patch(path, [{"op": "copy", "from": "/data/missing", "path": "/data/b"}], "json")


@api_scenario(
    "patches/json-that-are-none", must="A body that is not a JSON patch MUST be refused with 400.", source=_PATCH
)
def json_malformed(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one", a="1"))
    path = api.to("configmaps", "one")
    api.patch(path, {"data": {"a": "2"}}, "json")
    api.patch(path, "text", "json")
    api.patch(path, b"{not json", "json")
    api.patch(path, [{"op": "add", "path": "/data", "value": "text"}], "json")
    api.patch(path, [{"op": "add", "path": "/data/a", "value": 5}], "json")


@api_scenario("patches/json-of-lists", must="A JSON patch MUST address list elements by index.", source=_PATCH)
def json_lists(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    path = api.to("replicasets", "web")
    base = "/spec/template/spec/containers"
    api.patch(path, [{"op": "replace", "path": f"{base}/0/image", "value": "x:2"}], "json")
    api.patch(path, [{"op": "add", "path": f"{base}/-", "value": bodies.container("second")}], "json")
    api.patch(path, [{"op": "add", "path": f"{base}/0", "value": bodies.container("first")}], "json")
    api.patch(path, [{"op": "remove", "path": f"{base}/5"}], "json")
    api.patch(path, [{"op": "remove", "path": f"{base}/0"}], "json")


@api_scenario(
    "patches/merge",
    must="A merge patch MUST replace lists and values, merge objects, and remove what is null.",
    source=_PATCH,
)
def merge(api: Api) -> None:
    body = bodies.workload()
    body["metadata"]["labels"] = {"a": "1", "b": "2"}
    api.post(api.to("replicasets"), body)
    path = api.to("replicasets", "web")
    api.patch(path, {"metadata": {"labels": {"a": None, "c": "3"}}})
    api.patch(path, {"spec": {"template": {"spec": {"containers": [bodies.container("other", image="x:1")]}}}})
    api.patch(path, {"metadata": {"labels": None}})
    api.patch(path, {"spec": {"replicas": None}})
    api.patch(path, {"spec": {"minReadySeconds": 5}})


@api_scenario(
    "patches/merge-that-are-none", must="A body that is not a merge patch MUST be refused with 400.", source=_PATCH
)
def merge_malformed(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one", a="1"))
    path = api.to("configmaps", "one")
    api.patch(path, [1])
    api.patch(path, "text")
    api.patch(path, b"{not json")
    api.patch(path, b"")
    api.patch(path, {"data": "text"})
    api.patch(path, {"data": {"a": 5}})


@api_scenario(
    "patches/strategic-lists",
    must="A strategic merge patch MUST merge lists by their key, in upstream's order.",
    source=_STRATEGIC,
)
def strategic_lists(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    path = api.to("replicasets", "web")

    def containers(*items: object) -> dict[str, object]:
        return {"spec": {"template": {"spec": {"containers": list(items)}}}}

    api.patch(path, containers({"name": "main", "image": "x:2"}), "strategic")
    api.patch(path, containers({"name": "second", "image": "y:1"}), "strategic")
    api.patch(path, containers({"name": "main", "env": [{"name": "A", "value": "1"}]}), "strategic")
    api.patch(path, containers({"name": "main", "env": [{"name": "B", "value": "2"}]}), "strategic")
    api.patch(path, containers({"name": "main", "env": [{"name": "A", "$patch": "delete"}]}), "strategic")
    api.patch(path, containers({"name": "second", "$patch": "delete"}), "strategic")
    api.patch(path, containers({"$patch": "replace"}, {"name": "only", "image": "z:1"}), "strategic")


@api_scenario(
    "patches/strategic-directives", must="Directives of a strategic merge patch MUST be applied.", source=_STRATEGIC
)
def strategic_directives(api: Api) -> None:
    body = bodies.pod("one", finalizers=["example.com/a", "example.com/b"])
    api.post(api.to("pods"), body)
    path = api.to("pods", "one")
    api.patch(path, {"metadata": {"labels": {"$patch": "replace", "only": "this"}}}, "strategic")
    api.patch(path, {"metadata": {"labels": {"$retainKeys": ["new"], "new": "label"}}}, "strategic")
    api.patch(path, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a"]}}, "strategic")
    api.patch(path, {"metadata": {"finalizers": ["example.com/c"]}}, "strategic")
    api.patch(
        path,
        {
            "metadata": {
                "$setElementOrder/finalizers": ["example.com/c", "example.com/b"],
                "finalizers": ["example.com/b"],
            }
        },
        "strategic",
    )
    api.patch(path, {"metadata": {"labels": {"$patch": "delete"}}}, "strategic")
    api.patch(path, {"metadata": {"labels": {"$patch": "nonsense"}}}, "strategic")


@api_scenario("patches/strategic-order", must="$setElementOrder MUST set the order of merged lists.", source=_STRATEGIC)
def strategic_order(api: Api) -> None:
    body = bodies.workload()
    body["spec"]["template"]["spec"]["containers"] = [
        bodies.container("a"),
        bodies.container("b"),
        bodies.container("c"),
    ]
    api.post(api.to("replicasets"), body)
    order = [{"name": "c"}, {"name": "d"}, {"name": "a"}, {"name": "b"}]
    change = {"$setElementOrder/containers": order, "containers": [{"name": "d", "image": "d:1"}]}
    api.patch(api.to("replicasets", "web"), {"spec": {"template": {"spec": change}}}, "strategic")


@api_scenario(
    "patches/strategic-that-are-none",
    must="An invalid strategic merge patch, or one without its merge keys, MUST be refused.",
    source=_STRATEGIC,
)
def strategic_malformed(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    path = api.to("replicasets", "web")
    api.patch(path, {"spec": {"template": {"spec": {"containers": [{"image": "x:1"}]}}}}, "strategic")
    api.patch(path, {"spec": {"template": {"spec": {"containers": {"name": "main"}}}}}, "strategic")
    api.patch(path, [1], "strategic")
    api.patch(path, b"{not json", "strategic")
    api.patch(path, {"spec": {"replicas": "many"}}, "strategic")
    api.patch(path, {"spec": 5}, "strategic")


@api_scenario(
    "patches/of-custom-resources",
    must="Custom resources MUST accept JSON and merge patches, and refuse strategic ones with 415.",
    source=_PATCH,
)
def custom(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group))
    path = api.to_custom(f"{group}/v1", "widgets")
    api.post(path, bodies.custom(group, spec={"list": [{"name": "a"}], "size": 1}))
    api.patch(f"{path}/one", {"spec": {"list": [{"name": "b"}]}})
    api.patch(f"{path}/one", {"spec": {"size": None}})
    api.patch(f"{path}/one", [{"op": "add", "path": "/spec/size", "value": 2.5}], "json")
    api.patch(f"{path}/one", {"spec": {"size": 3}}, "strategic")
    api.patch(f"{path}/one", {"kind": "Gadget"})
    api.patch(f"{path}/one", {"apiVersion": f"{group}/v2"})


@api_scenario(
    "patches/of-what-is-missing", must="A patch of a missing object MUST be answered with 404.", source=_PATCH
)
def missing(api: Api) -> None:
    api.patch(api.to("configmaps", "one"), {"data": {"a": "1"}})
    api.patch(api.to("configmaps", "one"), [], "json")
    api.patch(api.to("pods", "one"), {}, "strategic")
    api.patch(api.to("configmaps", "one"), b"{not json")


@api_scenario("patches/media-types", must="A patch of an unknown media type MUST be refused with 415.", source=_PATCH)
def media_types(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one"))
    for media in ("application/json", "text/plain", "application/yaml", "application/merge-patch+yaml"):
        api.request("PATCH", api.to("configmaps", "one"), {"data": {"a": "1"}}, media=media)
    media = "application/merge-patch+json; charset=utf-8"
    api.request("PATCH", api.to("configmaps", "one"), {"data": {"a": "1"}}, media=media)


@api_scenario("patches/validated", must="The result of a patch MUST be validated like any other object.", source=_PATCH)
def validated(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    path = api.to("replicasets", "web")
    api.patch(path, {"spec": {"replicas": -1}})
    api.patch(path, {"spec": {"selector": {"matchLabels": {"app": "other"}}}})
    api.patch(path, {"spec": {"template": {"metadata": {"labels": None}}}})
    api.patch(path, {"spec": {"template": None}})
    api.patch(path, {"spec": None})
    api.patch(path, {"metadata": None})


@api_scenario(
    "patches/dry-run", must="A dry run of a patch MUST answer as the patch would, and change nothing.", source=_PATCH
)
def dry_run(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map("one", a="1"))
    path = api.to("configmaps", "one")
    api.patch(path, {"data": {"a": "2"}}, dryRun="All")
    api.patch(path, [{"op": "remove", "path": "/data/a"}], "json", dryRun="All")
    api.patch(path, {"data": {"a": "2"}}, dryRun="Some")
    api.get(path)

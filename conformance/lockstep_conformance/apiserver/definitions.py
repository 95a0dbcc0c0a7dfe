"""Custom resources with a schema: pruning, defaults, validation, and what a definition itself must satisfy."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_SCHEMA = "apiextensions-apiserver/pkg/apiserver/schema"


def _defined(api: Api, properties: dict[str, Any], **spec: Any) -> tuple[str, str]:
    """The group and the collection of a kind with a schema for its spec."""
    group = f"{api.token}.example.com"
    body = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties, **spec}}}
    api.define(bodies.definition(group, schema={"openAPIV3Schema": body}, subresources={"status": {}}))
    return group, api.to_custom(f"{group}/v1", "widgets")


@api_scenario("definitions/pruning", must="Fields that are not in the schema MUST be pruned.", source=_SCHEMA)
def pruning(api: Api) -> None:
    group, path = _defined(api, {"size": {"type": "integer"}})
    api.post(path, bodies.custom(group, spec={"size": 1, "colour": "red"}, extra={"a": 1}))
    api.patch(f"{path}/one", {"spec": {"colour": "blue", "size": 2}})


@api_scenario("definitions/defaults", must="Defaults of a schema MUST be set on every write.", source=_SCHEMA)
def defaults(api: Api) -> None:
    properties = {"size": {"type": "integer", "default": 3}, "mode": {"type": "string", "default": "slow"}}
    group, path = _defined(api, properties)
    api.post(path, bodies.custom(group, spec={}))
    api.post(path, bodies.custom(group, "two", spec={"mode": "fast"}))
    api.patch(f"{path}/one", {"spec": {"size": None}})


@api_scenario(
    "definitions/validation", must="Values that a schema forbids MUST be refused with their paths.", source=_SCHEMA
)
def validation(api: Api) -> None:
    properties = {
        "size": {"type": "integer", "minimum": 1, "maximum": 5},
        "mode": {"type": "string", "enum": ["fast", "slow"]},
        "name": {"type": "string", "pattern": "^[a-z]+$"},
        "tags": {"type": "array", "items": {"type": "string"}},
    }
    group, path = _defined(api, properties, required=["mode"])
    for spec in (
        {"mode": "fast", "size": 9},
        {"mode": "odd"},
        {"mode": "fast", "name": "ABC"},
        {"mode": "fast", "tags": "a"},
        {"mode": "fast", "size": "two"},
        {},
    ):
        api.post(path, bodies.custom(group, spec=spec))
    api.post(path, bodies.custom(group, spec={"mode": "fast"}))
    api.patch(f"{path}/one", {"spec": {"size": 0}})


@api_scenario(
    "definitions/mismatches",
    must="A custom resource of another kind or version than its path MUST be refused.",
    source="apiextensions-apiserver/pkg/apiserver/customresource_handler.go",
)
def mismatches(api: Api) -> None:
    group, path = _defined(api, {"size": {"type": "integer"}})
    api.post(path, {**bodies.custom(group), "kind": "Gadget"})
    api.post(path, {**bodies.custom(group), "apiVersion": f"{group}/v2"})
    api.post(path, {"metadata": {"name": "one"}})
    api.post(path, bodies.custom(group))
    api.put(f"{path}/one", bodies.custom(group, spec={"size": 1}))


@api_scenario(
    "definitions/unserved",
    must="A version that is not served MUST be unknown.",
    source="apiextensions-apiserver/pkg/apiserver/customresource_handler.go",
)
def unserved(api: Api) -> None:
    group, _ = _defined(api, {"size": {"type": "integer"}})
    api.get(api.to_custom(f"{group}/v2", "widgets"))
    api.get(api.to_custom(f"{group}/v1", "gadgets"))


@api_scenario(
    "definitions/invalid",
    must="A definition MUST have a fitting name, one storage version and structural schemas.",
    source="apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go",
)
def invalid(api: Api) -> None:
    group = f"{api.token}.example.com"
    path = api.to("customresourcedefinitions")
    misnamed = bodies.definition(group)
    misnamed["metadata"]["name"] = f"gadgets.{group}"
    api.post(path, misnamed, dryRun="All")
    unstored = bodies.definition(group)
    unstored["spec"]["versions"][0]["storage"] = False
    api.post(path, unstored, dryRun="All")


@api_scenario(
    "definitions/deleted",
    must="A custom resource MUST be unknown once its definition is deleted.",
    source="apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go",
)
def deleted(api: Api) -> None:
    group, path = _defined(api, {"size": {"type": "integer"}})
    api.get(path)
    api.remove_definition(f"widgets.{group}", path)
    api.get(path)


@api_scenario(
    "definitions/generations",
    must="A custom resource's generation MUST increase with every change except of metadata and status.",
    source="apiextensions-apiserver/pkg/registry/customresource/strategy.go",
)
def generations(api: Api) -> None:
    group, path = _defined(api, {"size": {"type": "integer"}})
    api.post(path, bodies.custom(group, spec={"size": 1}))
    api.patch(f"{path}/one", {"metadata": {"labels": {"a": "b"}}})
    api.patch(f"{path}/one", {"spec": {"size": 2}})
    api.patch(f"{path}/one/status", {"status": {"size": 2}})


@api_scenario(
    "definitions/without-schema",
    must="A definition without a schema MUST be refused.",
    source="apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go",
)
def without_schema(api: Api) -> None:
    bare = bodies.definition(f"{api.token}.example.com")
    del bare["spec"]["versions"][0]["schema"]
    api.post(api.to("customresourcedefinitions"), bare, dryRun="All")

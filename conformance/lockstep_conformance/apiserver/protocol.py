"""Invalid requests, and discovery documents."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_HANDLERS = "apiserver/pkg/endpoints"
_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
_PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"


@api_scenario(
    "protocol/unknown-paths",
    must="An unknown path MUST be answered with 404.",
    source=_HANDLERS,
    over_http=True,
)
def unknown_paths(api: Api) -> None:
    for path in (
        "/api/v2/pods", "/api/v1/nothing", "/apis/apps/v1beta1/replicasets", "/apis/nothing/v1/things",
        f"/api/v1/namespaces/{api.namespace}/nodes", f"/api/v1/namespaces/{api.namespace}/pods/a/nothing",
        "/api/v1/pods/a",
        f"/api/v1/namespaces/{api.namespace}/pods/a/status/more", "/apis/apps/v1/namespaces/x/replicasets/y/eviction",
    ):  # fmt: skip
        api.get(path)


@api_scenario(
    "protocol/methods", must="A method that a path does not support MUST be answered with 405.", source=_HANDLERS
)
def methods(api: Api) -> None:
    api.post(api.to("configmaps", "one"), bodies.config_map())
    api.put(api.to("configmaps"), bodies.config_map())
    api.patch(api.to("configmaps"), {})
    api.post(api.to("configmaps", namespace=""), bodies.config_map())
    api.delete(api.to("configmaps", namespace=""))
    api.get(api.to("pods", "one", "binding"))
    api.request("OPTIONS", api.to("configmaps"))


@api_scenario("protocol/bad-bodies", must="A body that is not an object MUST be refused with 400.", source=_HANDLERS)
def bad_bodies(api: Api) -> None:
    for body in (
        b"",
        b"{",
        b"{}",
        b"[]",
        b"null",
        b'"text"',
        b"5",
        b"{not json",
        b'{"metadata": 5}',
        b'{"a": 1,}',
        b"\x00\x01",
    ):
        api.request("POST", api.to("configmaps"), body)
    api.request("PUT", api.to("configmaps", "one"), b"{")
    api.request("DELETE", api.to("configmaps", "one"), b"{")


@api_scenario(
    "protocol/media-types", must="A body of an unsupported media type MUST be refused with 415.", source=_HANDLERS
)
def media_types(api: Api) -> None:
    for media in ("text/plain", "application/xml", "application/merge-patch+json", "application/json; charset=utf-8"):
        api.request("POST", api.to("configmaps"), bodies.config_map(), media=media)
    api.request("POST", api.to("configmaps"), b"metadata:\n  name: two\ndata:\n  a: b\n", media="application/yaml")


@api_scenario(
    "protocol/accept",
    must="An answer MUST have a media type that the client accepts, or be a 406.",
    source=_HANDLERS,
    over_http=True,
)
def accept(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map())
    path = api.to("configmaps", "one")
    for accepted in ("application/json", "*/*", "text/html", "application/json;q=0.5,text/html", "image/png"):
        api.request("GET", path, accept=accepted)
    api.request("GET", path, accept=_PARTIAL)
    api.request("GET", path, accept="application/json;as=Nonsense;v=v1;g=meta.k8s.io")


@api_scenario(
    "protocol/tables",
    must="A Table MUST have the columns that kubectl shows.",
    source="pkg/printers/internalversion/printers.go",
    over_http=True,
)
def tables(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    api.post(api.to("replicasets"), bodies.workload())
    api.post(api.to("configmaps"), bodies.config_map())
    api.post(api.to("horizontalpodautoscalers"), bodies.autoscaler())
    api.post(api.to("poddisruptionbudgets"), bodies.budget(minAvailable=1))
    for plural in ("pods", "replicasets", "horizontalpodautoscalers", "poddisruptionbudgets"):
        api.request("GET", api.to(plural), accept=_TABLE)
    api.request("GET", api.to("pods", "one"), accept=_TABLE)
    api.request("GET", api.to("pods", "nobody"), accept=_TABLE)


@api_scenario(
    "protocol/discovery-of-versions",
    must="Discovery MUST list the versions of the core group and of each group.",
    source="apiserver/pkg/endpoints/discovery",
)
def discovery_versions(api: Api) -> None:
    api.get("/apis/apps")
    api.get("/apis/autoscaling")
    api.get("/apis/nothing")


@api_scenario(
    "protocol/discovery-of-resources",
    must="Discovery MUST list the resources of a version, with verbs, names and scope.",
    source="apiserver/pkg/endpoints/discovery",
)
def discovery_resources(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group, subresources={"status": {}}))
    api.get(f"/apis/{group}/v1")
    api.get(f"/apis/{group}")
    api.get("/apis/policy/v1")
    api.get("/apis/autoscaling/v2")
    api.get("/apis/nothing/v1")


@api_scenario(
    "protocol/field-validation",
    must="With fieldValidation=Strict, an unknown field MUST be refused.",
    source="apiserver/pkg/endpoints/handlers/create.go",
)
def field_validation(api: Api) -> None:
    body = {**bodies.config_map(), "nonsense": 1}
    api.post(api.to("configmaps"), body, fieldValidation="Nonsense")
    api.post(api.to("configmaps"), bodies.config_map("two"), fieldValidation="Strict")
    api.post(api.to("configmaps"), body, fieldValidation="Strict", dryRun="All")


@api_scenario(
    "protocol/dry-run",
    must="A dry run of a create MUST answer as the create would, and store nothing.",
    source="apiserver/pkg/registry/generic/registry/dryrun.go",
)
def dry_run(api: Api) -> None:
    api.post(api.to("configmaps"), bodies.config_map(), dryRun="All")
    api.get(api.to("configmaps", "one"))
    api.post(api.to("configmaps"), bodies.config_map())
    api.post(api.to("configmaps"), bodies.config_map(), dryRun="All")
    api.put(api.to("configmaps", "one"), bodies.config_map("one", a="1"), dryRun="All")
    api.get(api.to("configmaps", "one"))
    api.post(api.to("configmaps"), bodies.config_map("two"), dryRun="Some")

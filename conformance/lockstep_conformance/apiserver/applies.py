"""Server-side apply: who owns what, and what happens where two want the same."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_APPLY = "structured-merge-diff/merge/update.go: Apply"


def _config(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": data}


@api_scenario(
    "applies/creates", must="An apply MUST create what is not there, and note what its manager owns.", source=_APPLY
)
def creates(api: Api) -> None:
    api.patch(api.to("configmaps", "one"), _config(a="1"), "apply", fieldManager="alice")
    api.get(api.to("configmaps", "one"))


@api_scenario("applies/again", must="An apply that says the same again MUST change nothing.", source=_APPLY)
def again(api: Api) -> None:
    for _ in range(2):
        api.patch(api.to("configmaps", "one"), _config(a="1"), "apply", fieldManager="alice")


@api_scenario(
    "applies/removes", must="What a manager no longer says MUST go, unless another manager owns it.", source=_APPLY
)
def removes(api: Api) -> None:
    path = api.to("configmaps", "one")
    api.patch(path, _config(a="1", b="2"), "apply", fieldManager="alice")
    api.patch(path, _config(b="2", c="3"), "apply", fieldManager="bob")
    api.patch(path, _config(), "apply", fieldManager="alice")
    api.patch(path, _config(), "apply", fieldManager="bob")


@api_scenario(
    "applies/conflicts",
    must="Another value for an owned field MUST be refused with 409 and a cause for each field.",
    source="apiserver/pkg/endpoints/handlers/fieldmanager/fieldmanager.go",
)
def conflicts(api: Api) -> None:
    path = api.to("configmaps", "one")
    api.patch(path, _config(a="1", b="1"), "apply", fieldManager="alice")
    api.patch(path, _config(a="2"), "apply", fieldManager="bob")
    api.patch(path, _config(a="2", b="2"), "apply", fieldManager="bob")
    api.patch(path, _config(c="3"), "apply", fieldManager="carol")
    api.patch(path, _config(a="2", c="2"), "apply", fieldManager="bob")


@api_scenario("applies/forced", must="With force, an apply MUST take the fields from their owners.", source=_APPLY)
def forced(api: Api) -> None:
    path = api.to("configmaps", "one")
    api.patch(path, _config(a="1", b="1"), "apply", fieldManager="alice")
    api.patch(path, _config(a="2"), "apply", fieldManager="bob", force="true")
    api.patch(path, _config(a="1", b="1"), "apply", fieldManager="alice")


@api_scenario("applies/shared", must="The same value MUST be owned by all who say it.", source=_APPLY)
def shared(api: Api) -> None:
    path = api.to("configmaps", "one")
    api.patch(path, _config(a="1"), "apply", fieldManager="alice")
    api.patch(path, _config(a="1"), "apply", fieldManager="bob")
    api.patch(path, _config(a="2"), "apply", fieldManager="alice")


@api_scenario(
    "applies/lists", must="Containers and other lists with keys MUST be owned element by element.", source=_APPLY
)
def lists(api: Api) -> None:
    path = api.to("replicasets", "web")
    api.patch(path, bodies.workload(), "apply", fieldManager="alice")
    other = bodies.workload()
    del other["spec"]["selector"]
    other["spec"]["template"] = {"spec": {"containers": [{"name": "side", "image": "side:1"}]}}
    api.patch(path, other, "apply", fieldManager="bob")
    env = bodies.workload()
    env["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "A", "value": "1"}]
    api.patch(path, env, "apply", fieldManager="alice")
    api.patch(path, bodies.workload(), "apply", fieldManager="alice")


@api_scenario(
    "applies/refused",
    must="An apply without a manager, of another name, or with managed fields MUST be refused.",
    source="apiserver/pkg/endpoints/handlers/patch.go: applyPatcher",
)
def refused(api: Api) -> None:
    path = api.to("configmaps", "one")
    api.patch(path, _config(a="1"), "apply")
    api.patch(path, {**_config(a="1"), "metadata": {"name": "two"}}, "apply", fieldManager="alice")
    managed = {"name": "one", "managedFields": [{"manager": "alice", "operation": "Apply", "apiVersion": "v1"}]}
    api.patch(path, {**_config(a="1"), "metadata": managed}, "apply", fieldManager="alice")
    api.patch(path, {"apiVersion": "v1", "metadata": {"name": "one"}}, "apply", fieldManager="alice")
    api.patch(path, {**_config(), "kind": "Secret"}, "apply", fieldManager="alice")
    api.patch(path, _config(a="1"), "merge", force="true")


@api_scenario(
    "applies/with-version",
    must="An apply that names an old version MUST be refused with 409.",
    source="apiserver/pkg/endpoints/handlers/patch.go: applyPatcher",
)
def with_version(api: Api) -> None:
    path = api.to("configmaps", "one")
    made = api.patch(path, _config(a="1"), "apply", fieldManager="alice").body
    api.patch(path, _config(a="2"), "apply", fieldManager="alice")
    stale = {"name": "one", "resourceVersion": made["metadata"]["resourceVersion"]}
    api.patch(path, {**_config(a="3"), "metadata": stale}, "apply", fieldManager="alice")


@api_scenario("applies/dry-run", must="A dry run of an apply MUST change nothing.", source=_APPLY)
def dry_run(api: Api) -> None:
    path = api.to("configmaps", "one")
    api.patch(path, _config(a="1"), "apply", fieldManager="alice", dryRun="All")
    api.get(path)
    api.patch(path, _config(a="1"), "apply", fieldManager="alice")
    api.patch(path, _config(a="2"), "apply", fieldManager="alice", dryRun="All")
    api.get(path)


@api_scenario("applies/status", must="An apply of a status MUST have an owner of its own.", source=_APPLY)
def status(api: Api) -> None:
    path = api.to("replicasets", "web")
    api.patch(path, bodies.workload(), "apply", fieldManager="alice")
    change = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "status": {"replicas": 2}}
    api.patch(f"{path}/status", change, "apply", fieldManager="alice")
    api.patch(path, bodies.workload(replicas=3), "apply", fieldManager="alice")


@api_scenario("applies/wrong-types", must="An apply of a value of the wrong type MUST be refused.", source=_APPLY)
def wrong_types(api: Api) -> None:
    api.patch(api.to("configmaps", "one"), {**_config(), "data": "text"}, "apply", fieldManager="alice")


@api_scenario(
    "applies/after-others",
    must="An apply that changes what another writer has set MUST be refused with 409.",
    source=_APPLY,
)
def after_others(api: Api) -> None:
    api.post(api.to("configmaps"), _config(a="1"))
    api.patch(api.to("configmaps", "one"), _config(a="2"), "apply", fieldManager="alice")


@api_scenario(
    "applies/scales",
    must="An apply of a scale MUST own the size.",
    source="apiserver/pkg/endpoints/handlers/fieldmanager",
)
def scales(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web"}, "spec": {"replicas": 3}}
    api.patch(api.to("replicasets", "web", "scale"), scale, "apply", fieldManager="alice", force="true")

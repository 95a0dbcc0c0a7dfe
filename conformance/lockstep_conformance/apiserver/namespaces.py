"""Namespaces: which objects need one, and how one is deleted."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_LIFECYCLE = "apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go"
_STORE = "pkg/registry/core/namespace/storage/storage.go"


@api_scenario(
    "namespaces/created",
    must="A namespace MUST be Active, with a finalizer and a label of its name.",
    source="pkg/registry/core/namespace/strategy.go",
)
def created(api: Api) -> None:
    api.post(api.to("namespaces"), {"metadata": {"name": f"{api.token}-second", "labels": {"a": "b"}}})
    api.get(api.to("namespaces", f"{api.token}-second"))
    api.patch(
        api.to("namespaces", f"{api.token}-second"), {"metadata": {"labels": {"kubernetes.io/metadata.name": "x"}}}
    )
    api.patch(api.to("namespaces", f"{api.token}-second"), {"spec": {"finalizers": []}})


@api_scenario(
    "namespaces/missing", must="An object MUST NOT be created in a namespace that does not exist.", source=_LIFECYCLE
)
def missing(api: Api) -> None:
    nowhere = f"{api.token}-nowhere"
    api.post(api.to("configmaps", namespace=nowhere), bodies.config_map())
    api.post(api.to("replicasets", namespace=nowhere), bodies.workload())
    api.put(api.to("configmaps", "one", namespace=nowhere), bodies.config_map())
    api.patch(api.to("configmaps", "one", namespace=nowhere), {})
    api.delete(api.to("configmaps", "one", namespace=nowhere))
    api.delete(api.to("configmaps", namespace=nowhere))
    api.get(api.to("configmaps", "one", namespace=nowhere))
    api.get(api.to("namespaces", nowhere))
    api.delete(api.to("namespaces", nowhere))


@api_scenario(
    "namespaces/terminating",
    must="A namespace that is being deleted MUST refuse creates, and allow updates and deletes.",
    source=_LIFECYCLE,
)
def terminating(api: Api) -> None:
    name = f"{api.token}-second"
    api.post(api.to("namespaces"), {"metadata": {"name": name}})
    api.post(api.to("configmaps", namespace=name), bodies.config_map())
    api.delete(api.to("namespaces", name))
    api.get(api.to("namespaces", name))
    api.post(api.to("configmaps", namespace=name), bodies.config_map("two"))
    generated = bodies.config_map()
    generated["metadata"] = {"generateName": "some-"}
    api.post(api.to("configmaps", namespace=name), generated)
    api.patch(api.to("configmaps", "one", namespace=name), {"data": {"a": "1"}})
    api.delete(api.to("configmaps", "one", namespace=name))
    api.delete(api.to("namespaces", name))


@api_scenario(
    "namespaces/finalized",
    must="A terminating namespace MUST be deleted when its finalizers are removed.",
    source=_STORE,
)
def finalized(api: Api) -> None:
    name = f"{api.token}-second"
    api.post(api.to("namespaces"), {"metadata": {"name": name}})
    marked = api.delete(api.to("namespaces", name)).body
    api.put(api.to("namespaces", name, "finalize"), {**marked, "spec": {"finalizers": []}})
    api.get(api.to("namespaces", name))


@api_scenario(
    "namespaces/finalize-before",
    must="Removing the finalizers of an active namespace MUST NOT delete it, and its later deletion MUST be immediate.",
    source=_STORE,
)
def finalize_before(api: Api) -> None:
    name = f"{api.token}-second"
    made = api.post(api.to("namespaces"), {"metadata": {"name": name}}).body
    api.put(api.to("namespaces", name, "finalize"), {**made, "spec": {"finalizers": []}})
    api.delete(api.to("namespaces", name))
    api.get(api.to("namespaces", name))


@api_scenario(
    "namespaces/own-finalizers",
    must="Finalizers in a namespace's metadata MUST delay its deletion as well.",
    source=_STORE,
)
def own_finalizers(api: Api) -> None:
    name = f"{api.token}-second"
    api.post(api.to("namespaces"), {"metadata": {"name": name, "finalizers": ["example.com/keep"]}})
    marked = api.delete(api.to("namespaces", name)).body
    api.put(api.to("namespaces", name, "finalize"), {**marked, "spec": {"finalizers": []}})
    api.get(api.to("namespaces", name))
    api.patch(api.to("namespaces", name), {"metadata": {"finalizers": None}})
    api.get(api.to("namespaces", name))


@api_scenario(
    "namespaces/status", must="A namespace's status MUST change through its own endpoint only.", source=_STORE
)
def status(api: Api) -> None:
    name = f"{api.token}-second"
    api.post(api.to("namespaces"), {"metadata": {"name": name}, "status": {"phase": "Terminating"}})
    api.patch(api.to("namespaces", name), {"status": {"phase": "Terminating"}})
    api.patch(api.to("namespaces", name, "status"), {"status": {"phase": "Terminating"}})
    condition = {"type": "NamespaceContentRemaining", "status": "True", "reason": "Some", "message": "left"}
    api.patch(api.to("namespaces", name, "status"), {"status": {"conditions": [condition]}})


@api_scenario(
    "namespaces/protected", must="The namespaces that the system needs MUST NOT be deleted.", source=_LIFECYCLE
)
def protected(api: Api) -> None:
    for name in ("default", "kube-system"):
        api.delete(api.to("namespaces", name), {"dryRun": ["All"]})

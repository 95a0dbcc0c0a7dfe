"""Evictions: deletions that disruption budgets can refuse."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_EVICT = "pkg/registry/core/pod/storage/eviction.go"


def _running(api: Api, name: str = "one", *, ready: bool = True) -> None:
    """A pod on a node, with phase Running."""
    api.post(api.to("pods"), bodies.pod(name, spec={"nodeName": "node-1"}))
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    api.patch(api.to("pods", name, "status"), {"status": {"phase": "Running", "conditions": [condition]}})


def _guarded(api: Api, name: str = "guard", allowed: int = 0, **spec: Any) -> None:
    """A budget whose status its controller has set."""
    api.post(api.to("poddisruptionbudgets"), bodies.budget(name, **(spec or {"minAvailable": 1})))
    status = {"disruptionsAllowed": allowed, "currentHealthy": 1 + allowed, "desiredHealthy": 1, "expectedPods": 2}
    api.patch(api.to("poddisruptionbudgets", name, "status"), {"status": {**status, "observedGeneration": 1}})


def _evict(api: Api, name: str = "one", **content: Any) -> None:
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **content}
    api.post(api.to("pods", name, "eviction"), body)


@api_scenario("eviction/without-budget", must="An eviction MUST delete a pod that no budget covers.", source=_EVICT)
def without_budget(api: Api) -> None:
    _running(api)
    _evict(api)
    api.get(api.to("pods", "one"))
    _evict(api)


@api_scenario(
    "eviction/of-a-pod-without-node", must="An eviction of a pod without a node MUST delete it at once.", source=_EVICT
)
def without_node(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    _guarded(api)
    _evict(api)
    api.get(api.to("pods", "one"))


@api_scenario(
    "eviction/refused",
    must="An eviction that its budget does not allow MUST be refused with 429 and a cause.",
    source=_EVICT,
)
def refused(api: Api) -> None:
    _running(api)
    _guarded(api)
    _evict(api)
    api.get(api.to("pods", "one"))


@api_scenario(
    "eviction/allowed", must="An eviction that its budget allows MUST be counted in the budget.", source=_EVICT
)
def allowed(api: Api) -> None:
    _running(api)
    _guarded(api, allowed=1)
    _evict(api)
    api.get(api.to("poddisruptionbudgets", "guard"))
    api.get(api.to("pods", "one"))


@api_scenario(
    "eviction/of-uncounted-budget",
    must="A budget without a current status MUST refuse with 429.",
    source=_EVICT,
)
def uncounted(api: Api) -> None:
    _running(api)
    api.post(api.to("poddisruptionbudgets"), bodies.budget(minAvailable=1))
    _evict(api)
    _guarded(api, "second", 5)
    _evict(api)


@api_scenario("eviction/two-budgets", must="A pod that two budgets cover MUST NOT be evicted.", source=_EVICT)
def two_budgets(api: Api) -> None:
    _running(api)
    _guarded(api, "first", 1)
    _guarded(api, "second", 1)
    _evict(api)


@api_scenario(
    "eviction/unready-if-healthy-budget",
    must="By default, an unready pod MUST be evicted if enough others are healthy.",
    source=_EVICT,
)
def unready(api: Api) -> None:
    _running(api, "unready", ready=False)
    _guarded(api, allowed=0)
    _evict(api, "unready")
    api.get(api.to("poddisruptionbudgets", "guard"))


@api_scenario(
    "eviction/unready-always-allowed",
    must="With AlwaysAllow, an unready pod MUST be evicted whatever its budget.",
    source=_EVICT,
)
def always_allow(api: Api) -> None:
    _running(api, "unready", ready=False)
    _running(api, "ready")
    api.post(api.to("poddisruptionbudgets"), bodies.budget(minAvailable=3, unhealthyPodEvictionPolicy="AlwaysAllow"))
    counted = {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 3, "expectedPods": 3}
    path = api.to("poddisruptionbudgets", "guard", "status")
    api.patch(path, {"status": {**counted, "observedGeneration": 1}})
    _evict(api, "ready")
    _evict(api, "unready")
    api.get(api.to("pods", "unready"))


@api_scenario(
    "eviction/unready-below-the-budget",
    must="By default, an unready pod MUST NOT be evicted if too few pods are healthy.",
    source=_EVICT,
)
def below(api: Api) -> None:
    _running(api, "unready", ready=False)
    api.post(api.to("poddisruptionbudgets"), bodies.budget(minAvailable=3))
    counted = {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 3, "expectedPods": 3}
    path = api.to("poddisruptionbudgets", "guard", "status")
    api.patch(path, {"status": {**counted, "observedGeneration": 1}})
    _evict(api, "unready")


@api_scenario("eviction/of-finished-pods", must="A finished pod MUST be evicted whatever its budget.", source=_EVICT)
def finished(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod("one", spec={"nodeName": "node-1"}))
    api.patch(api.to("pods", "one", "status"), {"status": {"phase": "Succeeded"}})
    _guarded(api)
    _evict(api)
    api.get(api.to("pods", "one"))


@api_scenario(
    "eviction/dry-run", must="A dry run MUST be checked against the budget and change nothing.", source=_EVICT
)
def dry_run(api: Api) -> None:
    _running(api)
    _evict(api, deleteOptions={"dryRun": ["All"]})
    _guarded(api)
    _evict(api, deleteOptions={"dryRun": ["All"]})
    api.get(api.to("pods", "one"))
    api.get(api.to("poddisruptionbudgets", "guard"))


@api_scenario("eviction/options", must="An eviction MUST apply its delete options.", source=_EVICT)
def options(api: Api) -> None:
    _running(api, "slow")
    _evict(api, "slow", deleteOptions={"gracePeriodSeconds": 60})
    api.get(api.to("pods", "slow"))
    _running(api, "quick")
    _evict(api, "quick", deleteOptions={"gracePeriodSeconds": 0})
    api.get(api.to("pods", "quick"))
    _running(api, "other")
    _evict(api, "other", deleteOptions={"preconditions": {"uid": "11111111-2222-4333-8444-555555555555"}})


@api_scenario(
    "eviction/of-what-is-missing",
    must="An eviction of a missing pod MUST be answered with 404, one without a name with 400.",
    source=_EVICT,
)
def missing(api: Api) -> None:
    _evict(api, "nobody")
    api.post(api.to("pods"), bodies.pod())
    api.post(
        api.to("pods", "one", "eviction"), {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "two"}}
    )
    api.post(api.to("pods", "one", "eviction"), {"apiVersion": "policy/v1", "kind": "Eviction"})
    api.get(api.to("pods", "one", "eviction"))

"""Bad targets, which the API server accepts because it does not look them up: a condition reports the error."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.demand import demanded, proposal
from lockstep_conformance.hpa.refusals import Table, are_refused
from lockstep_conformance.hpa.steps import condition, messages, scales, status

_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler, scaleForResourceMappings"
_VALIDATION = "pkg/apis/autoscaling/validation/validation.go: ValidateCrossVersionObjectReference"
_UNABLE = "the HPA controller was unable to get the target's current scale: "


@scenario(
    "hpa/targets-that-are-not-there",
    must=(
        "A target of an unknown kind, one that cannot be scaled, or one that does not exist MUST be reported in the "
        "condition and in an event, and MUST NOT affect other HPAs."
    ),
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("bad-spec", "conditions", "events"),
)
async def test_targets_that_are_not_there(cluster: Cluster) -> None:
    table: dict[str, tuple[Object, str]] = {
        "unknown-kind": (objects.reference("Widget", "web"), 'no matches for kind "Widget" in group "apps"'),
        "unknown-group": (
            objects.reference("ReplicaSet", "web", "example.com/v1"),
            'no matches for kind "ReplicaSet" in group "example.com"',
        ),
        "capitals": (objects.reference("REPLICASET", "web"), 'no matches for kind "REPLICASET" in group "apps"'),
        "no-scale": (
            objects.reference("HorizontalPodAutoscaler", "web", "autoscaling/v2"),
            "the server could not find the requested resource",
        ),
        "missing": (objects.reference("ReplicaSet", "gone"), 'replicasets.apps "gone" not found'),
    }
    for name, (target, _) in table.items():
        await cluster.create(objects.hpa(name, target=target, metrics=[proposal()]))
    await demanded(cluster, 3)
    await cluster.run_until(100)
    for name, (_, why) in table.items():
        failed = ("False", "FailedGetScale", f"{_UNABLE}{why}")
        cluster.expect(f"AbleToScale of {name}", condition(cluster, "AbleToScale", name), failed)
        cluster.expect(f"conditions of {name}", len(status(cluster, name)["conditions"]), 1)
    told = messages(cluster, "FailedGetScale")
    cluster.expect("events", sorted(told), sorted(why for _, why in table.values()))
    cluster.expect("scales of the one that works", scales(cluster), [(15.0, 3)])


@scenario(
    "hpa/target-named-carelessly",
    must="The version of a target's API MUST NOT matter, nor lower case in its kind.",
    source=(_RECONCILE, "client-go/restmapper/discovery.go: NewDiscoveryRESTMapper"),
    controllers=("hpa", "replicaset"),
    features=("bad-spec",),
)
async def test_target_named_carelessly(cluster: Cluster) -> None:
    await demanded(cluster, 3, target=objects.reference("ReplicaSet", "web", "apps/v9"))
    await demanded(cluster, 4, name="db", metric="more", target=objects.reference("replicaset", "db"))
    await cluster.run_until(40)
    cluster.expect("scales of an unknown version", scales(cluster), [(15.0, 3)])
    cluster.expect("scales of a kind in lower case", scales(cluster, "db"), [(15.0, 4)])


@scenario(
    "hpa/target-that-appears-later",
    must="A target that is created after its HPA MUST be scaled from the next sync on.",
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("bad-spec", "recreation"),
)
async def test_target_that_appears_later(cluster: Cluster) -> None:
    cluster.metrics.external("demand", 3)
    await cluster.create(objects.hpa("web", metrics=[proposal()]))
    await cluster.run_until(50)
    missing = ("False", "FailedGetScale", f'{_UNABLE}replicasets.apps "web" not found')
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), missing)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(70)
    cluster.expect("scales", scales(cluster), [(60.0, 3)])


@scenario(
    "hpa/targets-that-are-refused",
    must="A target without a kind, a name or a group, or with a malformed API version MUST be refused.",
    source=_VALIDATION,
    controllers=("hpa", "replicaset"),
    features=("bad-spec",),
)
async def test_targets_that_are_refused(cluster: Cluster) -> None:
    at = "spec.scaleTargetRef"

    def target(**changes: str) -> Object:
        return {"scaleTargetRef": {**objects.reference("ReplicaSet", "web"), **changes}}

    group = "apiVersion must specify API group"
    table: Table = {
        "no kind": (target(kind=""), f"{at}.kind: Required value"),
        "no name": (target(name=""), f"{at}.name: Required value"),
        "a name with a slash": (target(name="a/b"), f"""{at}.name: Invalid value: "a/b": may not contain '/'"""),
        "no API version": (target(apiVersion=""), f'{at}.apiVersion: Invalid value: "": {group}'),
        "no group": (target(apiVersion="v1"), f'{at}.apiVersion: Invalid value: "v1": {group}'),
        "too many parts": (
            target(apiVersion="apps/v1/beta"),
            f'{at}.apiVersion: Invalid value: "apps/v1/beta": unexpected GroupVersion string: apps/v1/beta',
        ),
    }
    await are_refused(cluster, table)

"""Two HPAs for the same pods: neither scales, and both report it."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each
from lockstep_conformance.hpa.demand import demanded, proposal
from lockstep_conformance.hpa.served import CPU_50, serve, workload
from lockstep_conformance.hpa.steps import HPAS, reason, scales, transitions

_CHECK = "pkg/controller/podautoscaler/horizontal.go: validateAndParseSelector, hpasControllingPodsUnderSelector"
_ISSUES = ("kubernetes/kubernetes#112027", "kubernetes/kubernetes#112011")


@scenario(
    "hpa/two-hpas-of-one-target-do-nothing",
    must="Two HPAs of one target MUST NOT scale it, until one of them is gone.",
    source=_CHECK,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("ambiguous-selector", "H17"),
)
async def test_two_hpas_of_one_target_do_nothing(cluster: Cluster) -> None:
    """One recommends more, since CPU is at 90 % of 50 %, the other fewer, since memory is at 10 %."""
    cluster.metrics.load("web", cpu=each("900m"), memory=each("10Mi"))
    await cluster.create(workload("web", 4, cpu="1", memory="100Mi"))
    memory = objects.resource_metric("memory", utilization=50)
    web = objects.reference("ReplicaSet", "web")
    await cluster.create(
        objects.hpa("by-cpu", target=web, metrics=[CPU_50]), objects.hpa("by-memory", target=web, metrics=[memory])
    )
    await cluster.run_until(599)
    cluster.expect("scales of both", scales(cluster), [])
    for name in ("by-cpu", "by-memory"):
        cluster.expect(f"ScalingActive of {name}", reason(cluster, "ScalingActive", name), "False AmbiguousSelector")
        cluster.expect(f"AbleToScale of {name}", reason(cluster, "AbleToScale", name), "True SucceededGetScale")
    await cluster.delete(HPAS, "by-memory")
    await cluster.run_until(629)
    cluster.expect("scales of the one that is left", scales(cluster), [(600.0, 8)])
    cluster.expect("ScalingActive", reason(cluster, "ScalingActive", "by-cpu"), "True ValidMetricFound")


@scenario(
    "hpa/two-hpas-whose-selectors-overlap-do-nothing",
    must="Two HPAs of different targets MUST NOT scale them while there is a pod that both targets select.",
    source=_CHECK,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("ambiguous-selector", "H17"),
)
async def test_two_hpas_whose_selectors_overlap_do_nothing(cluster: Cluster) -> None:
    """`web` also selects the pods of `db`, but not vice versa: the HPA of `db` stops all the same."""
    cluster.metrics.load("web", cpu=each("900m"))
    both = {"app": "web", "part": "db"}
    app = objects.container("app", resources={"requests": {"cpu": "1"}})
    template = objects.pod_template(both, containers=[app])
    await cluster.create(objects.replica_set("db", 2, labels=both, template=template))
    await serve(cluster, 2)
    await cluster.create(objects.hpa("db", metrics=[CPU_50]))
    await cluster.run_until(299)
    cluster.expect("scales of web", scales(cluster), [])
    cluster.expect("scales of db", scales(cluster, "db"), [])
    for name in ("web", "db"):
        cluster.expect(f"ScalingActive of {name}", reason(cluster, "ScalingActive", name), "False AmbiguousSelector")
    await cluster.scale("db", 0)
    await cluster.run_until(329)
    # at 300 s the pods of db are still there, though they are being deleted
    cluster.expect("scales of web, without pods of db", scales(cluster), [(315.0, 4)])
    cluster.expect("ScalingActive of db", reason(cluster, "ScalingActive", "db"), "False ScalingDisabled")


@scenario(
    "hpa/pod-that-two-targets-select-comes-later",
    must=(
        "A pod that both targets select MUST stop their HPAs from the first sync in which it exists until the first "
        "one in which it is gone."
    ),
    source=_CHECK,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("ambiguous-selector", "H17"),
)
async def test_pod_that_two_targets_select_comes_later(cluster: Cluster) -> None:
    await demanded(cluster, 2, (80, 4), replicas=2)
    template = objects.pod_template({"part": "db"})
    await cluster.create(objects.replica_set("db", 2, labels={"part": "db"}, template=template))
    await cluster.create(objects.hpa("db", metrics=[proposal()]))
    owner = await cluster.create(objects.deployment("other"))
    await cluster.run_until(70)
    await cluster.create(objects.pod("odd", {"app": "web", "part": "db"}, owner=owner))
    await cluster.run_until(100)
    await cluster.delete("pods", "odd")
    await cluster.run_until(120)
    for name in ("web", "db"):
        cluster.expect(f"scales of {name}", scales(cluster, name), [(105.0, 4)])
        wanted = [(15.0, "True ValidMetricFound"), (75.0, "False AmbiguousSelector"), (105.0, "True ValidMetricFound")]
        cluster.expect(f"ScalingActive of {name}", transitions(cluster, "ScalingActive", name), wanted)

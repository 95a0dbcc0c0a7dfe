"""The first hour of a VPA in a cluster: nothing is known yet, and every pod asks for something else than it needs."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, ramp
from lockstep_conformance.vpa.loop.steps import HOUR, UPDATES, every


def _evicted(cluster: Cluster) -> dict[str, int]:
    """How many pods of each workload were evicted."""
    found: dict[str, int] = {}
    for write in cluster.writes("create", "pods", 201):
        if write.subresource == "eviction":
            owner = write.name.rpartition("-")[0]
            found[owner] = found.get(owner, 0) + 1
    return dict(sorted(found.items()))


def _workload(name: str, requests: dict[str, str] | None, replicas: int = 2) -> Any:
    app = objects.container(resources={"requests": requests} if requests else {})
    template = objects.pod_template(objects.labels_of(name), containers=[app])
    return objects.replica_set(name, replicas, template=template)


@scenario(
    "vpa-updater/loop-in-the-first-hour",
    must="Pods that ask for less than they use, or for nothing, MUST be evicted in the first hour, and once more as "
    "the recommendation follows their memory, which grows for twenty minutes; then they MUST be left alone, as those "
    "MUST be from the start that ask for much more.",
    source=("pkg/updater/logic/updater.go: RunOnce", "pkg/updater/priority/update_priority_calculator.go: AddPod"),
    issues="gardener/gardener#2882",
    controllers=UPDATES,
    options=every(60.0, min_replicas=1),
)
async def test_loop_in_the_first_hour(cluster: Cluster) -> None:
    asked = {
        "little": {"cpu": "100m", "memory": "128Mi"},
        "much": {"cpu": "4", "memory": "8Gi"},
        "nothing": None,
    }
    for name, requests in asked.items():
        growing = each("300Mi", growth=ramp(0, 1200, 0, "100Mi"))
        cluster.metrics.load(name, cpu=each("300m"), memory=growing)
        await cluster.create(objects.vpa(name), _workload(name, requests, 1))
    await cluster.run(HOUR)
    cluster.expect("evictions", _evicted(cluster), {"little": 2, "nothing": 2})
    times = [cluster.at(write) for write in cluster.writes("create", "pods", 201) if write.subresource == "eviction"]
    cluster.expect("last eviction", max(times), 1019.1)


@scenario(
    "vpa-updater/loop-without-metrics",
    must="Pods without any metrics MUST be evicted too if they ask for more than the least that is recommended then.",
    source=(
        "pkg/recommender/util/histogram.go: Percentile",
        "pkg/updater/priority/update_priority_calculator.go: AddPod",
    ),
    controllers=UPDATES,
)
async def test_loop_without_metrics(cluster: Cluster) -> None:
    await cluster.create(objects.vpa("web"), _workload("web", {"cpu": "1", "memory": "1Gi"}))
    await cluster.run(600)
    cluster.expect("evictions", _evicted(cluster), {"web": 2})
    requests = [pod["spec"]["containers"][0]["resources"]["requests"] for pod in cluster.pods("web")]
    cluster.expect("requests", requests, [{"cpu": "25m", "memory": "250Mi"}] * 2)


@scenario(
    "vpa-updater/loop-after-a-downgrade",
    must="The pods of a VPA in a mode that the updater does not support MUST be left alone by it, while "
    "recommendations go on and new pods get them.",
    source=(
        "pkg/updater/logic/updater.go: RunOnce",
        "pkg/admission-controller/resource/vpa/matcher.go: GetMatchingVPA",
    ),
    issues="kubernetes/autoscaler#8888",
    controllers=UPDATES,
)
async def test_loop_after_a_downgrade(cluster: Cluster) -> None:
    # A later release, or the gate, let the mode in: no webhook is there yet that would refuse it.
    cluster.metrics.load("web", cpu=each("300m"), memory=each("400Mi"))
    await cluster.create(objects.vpa("web", mode="InPlace"), _workload("web", {"cpu": "100m", "memory": "128Mi"}))
    await cluster.run(600)
    cluster.expect("evictions", _evicted(cluster), {})
    await cluster.scale("web", 3)
    await cluster.run(10)
    requests = sorted(str(pod["spec"]["containers"][0]["resources"]["requests"]) for pod in cluster.pods("web"))
    old, new = {"cpu": "100m", "memory": "128Mi"}, {"cpu": "350m", "memory": "511772986"}
    cluster.expect("requests", requests, [str(old), str(old), str(new)])

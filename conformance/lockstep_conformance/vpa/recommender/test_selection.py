"""Which VPAs and pods a recommender handles."""

from __future__ import annotations

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.objects.definitions import CHECKPOINTS, VPAS
from lockstep_conformance.vpa.recommender.steps import RECOMMENDER, after_loop, recommendation, serve, status

_FILTER = "pkg/recommender/input/cluster_feeder.go: filterVPAs"


def _flags(**flags: str | bool) -> Options:
    return Options(vpa=VpaOptions(recommender=RecommenderOptions(**flags)))  # type: ignore[arg-type]


@scenario(
    "vpa-recommender/names-of-recommenders",
    must="The default recommender MUST handle VPAs that name it or no recommender, and no others.",
    source=_FILTER,
    controllers=RECOMMENDER,
)
async def test_names_of_recommenders(cluster: Cluster) -> None:
    await serve(cluster, name="web")
    await serve(cluster, name="named", recommenders=["default"])
    await serve(cluster, name="other", recommenders=["mine"])
    await after_loop(cluster, 1)
    served = [name for name in ("web", "named", "other") if status(cluster, name)]
    cluster.expect("served", served, ["web", "named"])


@scenario(
    "vpa-recommender/recommender-with-a-name",
    must="A recommender with a name MUST handle only VPAs that name it.",
    source=_FILTER,
    controllers=RECOMMENDER,
    options=_flags(recommender_name="mine"),
)
async def test_recommender_with_a_name(cluster: Cluster) -> None:
    await serve(cluster, name="web")
    await serve(cluster, name="named", recommenders=["default"])
    await serve(cluster, name="other", recommenders=["mine"])
    await after_loop(cluster, 1)
    served = [name for name in ("web", "named", "other") if status(cluster, name)]
    cluster.expect("served", served, ["other"])


@scenario(
    "vpa-recommender/memory-saver",
    must="With --memory-saver, pods that no VPA matches MUST NOT be tracked until one does.",
    source="pkg/recommender/input/cluster_feeder.go: LoadPods",
    controllers=RECOMMENDER,
    options=_flags(memory_saver=True),
)
async def test_memory_saver(cluster: Cluster) -> None:
    await serve(cluster, name="web")
    await cluster.delete(VPAS, "web")
    await after_loop(cluster, 3)
    await cluster.create(objects.vpa("web"))
    await after_loop(cluster, 4)
    samples = cluster.get(CHECKPOINTS, "web-main")["status"]["totalSamplesCount"]
    cluster.expect("samples", samples, 1)


@scenario(
    "vpa-recommender/remembers-pods-without-vpa",
    must="Usage of pods MUST be recorded even while no VPA matches them.",
    source="pkg/recommender/model/cluster.go: AddOrUpdateVpa",
    controllers=RECOMMENDER,
)
async def test_remembers_pods_without_vpa(cluster: Cluster) -> None:
    await serve(cluster, name="web")
    await cluster.delete(VPAS, "web")
    await after_loop(cluster, 3)
    await cluster.create(objects.vpa("web"))
    await after_loop(cluster, 4)
    samples = cluster.get(CHECKPOINTS, "web-main")["status"]["totalSamplesCount"]
    cluster.expect("samples", samples, 4)
    cluster.expect_true("there is a recommendation", recommendation(cluster))

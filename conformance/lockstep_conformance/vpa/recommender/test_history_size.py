"""How much history the recommender queries from Prometheus: all of it at once, at each start."""

from __future__ import annotations

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, scenario
from lockstep.metrics import constant
from lockstep.prometheus import Asked
from lockstep_conformance.vpa.recommender.steps import RECOMMENDER, serve, target

_USAGE = 'job="kubernetes-cadvisor", pod_name=~".+", name!="POD", name!=""'
_LABELS = 'up{job="kubernetes-pods"}[8d]'
_SCRAPES = 300.0  # seconds between them


def _pod(cluster: Cluster, name: str, days: int) -> None:
    """A pod of one container with this many days of history in Prometheus, which continues until the end."""
    since, until, half, memory = days + _SCRAPES / 86_400, _SCRAPES, constant(0.5), constant("600Mi")
    cluster.prometheus.usage(name, cpu=half, memory=memory, days=since, until=until, every=_SCRAPES)
    cluster.prometheus.pod(name, {"app": "web"}, days=since, until=until, every=_SCRAPES)


async def _asked(cluster: Cluster) -> list[Asked]:
    """The queries of a recommender from its start to its end, one loop later."""
    before = len(cluster.prometheus.asked)
    await cluster.start("vpa-recommender")
    await cluster.run(61)
    await cluster.crash("vpa-recommender")
    return cluster.prometheus.asked[before:]


@scenario(
    "vpa-recommender/history-of-everything-at-once",
    must=(
        "At each start three queries MUST cover all of eight days, so the answers grow with pods and with days: a "
        "sample an hour of each container and resource, and every scrape of a pod's labels."
    ),
    source="pkg/recommender/input/history/history_provider.go: GetClusterHistory",
    issues="kubernetes/autoscaler#1809",
    controllers=RECOMMENDER,
    autostart=False,
    options=Options(
        vpa=VpaOptions(recommender=RecommenderOptions(storage="prometheus", metric_for_pod_labels=_LABELS))
    ),
)
async def test_history_of_everything_at_once(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    await serve(cluster)
    _pod(cluster, "web-0", days=9)
    asked = await _asked(cluster)
    questions = [
        ("query_range", f"rate(container_cpu_usage_seconds_total{{{_USAGE}}}[1h])", 8.0),
        ("query_range", f"container_memory_working_set_bytes{{{_USAGE}}}", 8.0),
        ("query", _LABELS, 0.0),
    ]
    cluster.expect("queries", [(one.endpoint, one.arguments["query"], one.days) for one in asked], questions)
    # None of them has a limit or paging: each answer is one document, read as a whole.
    arguments = [["end", "query", "start", "step"]] * 2 + [["query", "time"]]
    cluster.expect("arguments", [sorted(one.arguments) for one in asked], arguments)
    cluster.expect("samples of one pod", [one.samples for one in asked], [193, 193, 2304])
    cluster.expect("target", target(cluster), {"cpu": "587m", "memory": "764046746"})

    for name in ("web-1", "web-2", "web-3"):
        _pod(cluster, name, days=9)
    asked = await _asked(cluster)
    cluster.expect("of four pods", [one.samples for one in asked], [4 * 193, 4 * 193, 4 * 2304])

    _pod(cluster, "web-4", days=2)
    asked = await _asked(cluster)
    # Its first hour has no rate yet.
    expected = [4 * 193 + 48, 4 * 193 + 49, 4 * 2304 + 577]
    cluster.expect("and of one more that is two days old", [one.samples for one in asked], expected)

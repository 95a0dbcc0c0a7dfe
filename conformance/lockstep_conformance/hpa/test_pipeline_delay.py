"""The delay from a change of the load to the change of scale: three periods, one after the other.

The kubelet measures every 10 s, metrics-server scrapes it every 30 s, and the HPA reads metrics-server every 15 s.
"""

from __future__ import annotations

import math

from lockstep import Cluster, scenario
from lockstep.metrics import each, steps
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import scales

_QUEUE = "pkg/controller/podautoscaler/horizontal.go: processNextWorkItem"
#: When the load of each workload doubles: twelve moments of half a minute.
_MOMENTS = [600.1 + 2.5 * turn for turn in range(12)]
#: The worst case: a scrape just before the kubelet measures, and a sync just before the scrape.
_SCRAPE_OFFSET, _SYNC_OFFSET = 9.9, 9.8


def _reaction(moment: float) -> float:
    """When the HPA can observe a change at `moment`: after the next measurement, the next scrape, the next sync."""
    measured = math.ceil(moment / 10) * 10
    scraped = math.ceil((measured - _SCRAPE_OFFSET) / 30) * 30 + _SCRAPE_OFFSET
    return round(math.ceil((scraped - _SYNC_OFFSET) / 15) * 15 + _SYNC_OFFSET, 3)


@scenario(
    "hpa/reaction-time-of-a-pipeline-of-three-periods",
    must="The reaction to a change of the load MUST come with the first sync after the first scrape after the first "
    "measurement of it.",
    source=_QUEUE,
    issues="kubernetes/kubernetes#110317",
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "latency", "H28"),
)
async def test_reaction_time_of_a_pipeline_of_three_periods(cluster: Cluster) -> None:
    cluster.metrics.scrape(period=30, offset=_SCRAPE_OFFSET, kubelet=10)
    names = [f"web-{turn:02}" for turn in range(len(_MOMENTS))]
    for name, moment in zip(names, _MOMENTS, strict=True):
        cluster.metrics.load(name, cpu=each(steps((0, 0.5), (moment, 1.0))))
    await cluster.run_until(_SYNC_OFFSET)
    for name in names:
        await serve(cluster, 1, name=name)
    await cluster.run_until(680)
    found = [[at for at, _ in scales(cluster, name)] for name in names]
    cluster.expect("reactions", found, [[_reaction(moment)] for moment in _MOMENTS])
    delays = [round(one[0] - moment, 3) for one, moment in zip(found, _MOMENTS, strict=True) if one]
    cluster.expect("the shortest and the longest delay", (min(delays), max(delays)), (27.2, 54.7))

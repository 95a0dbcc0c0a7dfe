"""The simulated Prometheus answers as a real one with the same series, to the last digit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest

from lockstep.apiserver import Request
from lockstep.metrics import daily, noisy
from lockstep.prometheus import Prometheus
from tests.prometheus.container import serving_in_container
from tests.prometheus.real import RealPrometheus, serving

pytestmark = pytest.mark.prometheus

_NOW = 946_684_800.3
_FORM = "application/x-www-form-urlencoded"
_CADVISOR = 'job="kubernetes-cadvisor", pod_name=~".+", name!="POD", name!=""'
#: What the recommender asks, and variations of it: query and step in seconds.
_RANGES = [
    (f"rate(container_cpu_usage_seconds_total{{{_CADVISOR}}}[1h])", 3600),
    (f"container_memory_working_set_bytes{{{_CADVISOR}}}", 3600),
    (f'container_memory_working_set_bytes{{{_CADVISOR}, namespace="default"}}', 3600),
    (f"rate(container_cpu_usage_seconds_total{{{_CADVISOR}}}[30m])", 1800),
    (f"rate(container_cpu_usage_seconds_total{{{_CADVISOR}}}[5m])", 300),
    (f"rate(container_cpu_usage_seconds_total{{{_CADVISOR}}}[90s])", 600),
    ('rate(wild{kind="sparse"}[20m])', 77),
    ("rate(wild[1h30m])", 613),
    ("wild", 59),
    ('{__name__=~"wi.*", kind!~"s.*"}', 240),
    ('wild{other="", kind!="dense"}', 60),
]
_INSTANTS = ['up{job="kubernetes-pods"}[8d]', 'up{job="kubernetes-pods"}', "wild[1d]", "rate(wild[3h])", "nothing[8d]"]
_WRONG = ["up[8d]", "rate(up)", "up{", 'up{job=~"("}']


def _filled() -> Prometheus:
    """Eight days of three pods, and series without any order in them."""
    prometheus = Prometheus(lambda: 0)
    for number, pod in enumerate(("web-a", "web-b", "db-a")):
        memory = noisy(daily("200Mi", "1Gi"), 0.2, seed=number)
        cpu = noisy(daily(0.1, 2.0), 0.3, seed=number)
        prometheus.usage(pod, cpu=cpu, memory=memory, every=60 * (number + 1))
        prometheus.usage(pod, "POD", cpu=0.001, memory="1Mi", every=600)
        prometheus.pod(pod, {"app": pod.partition("-")[0], "tier": "a b"}, days=8 - number, every=300)
    prometheus.usage("web-a", cpu=1, memory="1Gi", namespace="other", days=2, until=-86_400, every=30)
    rng = random.Random(5)
    for kind, gap in (("dense", 20), ("sparse", 400), ("resets", 60)):
        time, value, samples = -2 * 86_400.0, 0.0, []
        while time < 0:
            value = rng.random() if kind == "resets" and rng.random() < 0.05 else value + rng.expovariate(0.5)
            samples.append((round(time, 3), value))
            time += rng.uniform(0.5, 1.5) * gap * (30 if rng.random() < 0.02 else 1)
        prometheus.add("wild", {"kind": kind}, samples)
    return prometheus


@pytest.fixture(scope="module")
def simulated() -> Prometheus:
    return _filled()


@pytest.fixture(scope="module", params=["program", pytest.param("container", marks=pytest.mark.docker)])
def real(
    simulated: Prometheus, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[RealPrometheus]:
    folder: Path = tmp_path_factory.mktemp("prometheus")
    start = serving if request.param == "program" else serving_in_container
    with start(simulated.series(), folder) as server:
        yield server


def _ask(prometheus: Prometheus, endpoint: str, form: str) -> tuple[int, Any]:
    reply = prometheus.serve(Request("POST", f"/prometheus/api/v1/{endpoint}", body=form, content_type=_FORM))
    return reply.status, orjson.loads(reply.raw())


@pytest.mark.parametrize(("query", "step"), _RANGES)
def test_range_queries(simulated: Prometheus, real: RealPrometheus, query: str, step: int) -> None:
    days = 8 if step > 500 else 2
    form = urlencode({"query": query, "start": _NOW - days * 86_400, "end": _NOW, "step": step})
    status, answer = real.ask("query_range", form)
    assert status == 200
    assert answer["data"]["result"]
    assert _ask(simulated, "query_range", form) == (status, answer)


@pytest.mark.parametrize("query", _INSTANTS)
def test_instant_queries(simulated: Prometheus, real: RealPrometheus, query: str) -> None:
    for moment in (_NOW, _NOW - 86_400, _NOW - 300.3, _NOW + 299.7, _NOW + 299.701):
        form = urlencode({"query": query, "time": moment})
        assert _ask(simulated, "query", form) == real.ask("query", form)


@pytest.mark.parametrize("query", _WRONG)
def test_wrong_queries(simulated: Prometheus, real: RealPrometheus, query: str) -> None:
    form = urlencode({"query": query, "start": _NOW - 60, "end": _NOW, "step": 60})
    status, answer = real.ask("query_range", form)
    ours, said = _ask(simulated, "query_range", form)
    assert (ours, said["status"], said["errorType"]) == (status, answer["status"], answer["errorType"])


@pytest.mark.parametrize(("start", "end", "step"), [(1, 0, 1), (0, 1, 0), (0, 1, -1), (0, 11_001, 1), ("x", 1, 1)])
def test_wrong_ranges(simulated: Prometheus, real: RealPrometheus, start: object, end: int, step: int) -> None:
    form = urlencode({"query": "up", "start": start, "end": end, "step": step})
    status, answer = real.ask("query_range", form)
    ours, said = _ask(simulated, "query_range", form)
    assert (ours, said["status"], said["errorType"]) == (status, answer["status"], answer["errorType"])

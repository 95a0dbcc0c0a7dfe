"""What the recommender reads. Sources: pkg/recommender/input: oom, metrics, spec, history, each with its tests."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.gotime import SECOND, parse_rfc3339
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.store import Indexer
from lockstep_reference.machinery.transport import Response
from lockstep_reference.vpa.apis import CPU, MEMORY
from lockstep_reference.vpa.recommender.input.history.durations import InvalidDuration, parse_duration
from lockstep_reference.vpa.recommender.input.history.prometheus_api import (
    PrometheusApi,
    PrometheusError,
    format_time,
)
from lockstep_reference.vpa.recommender.input.metrics import ContainerMetricsSnapshot, MetricsError, fast_path
from lockstep_reference.vpa.recommender.input.metrics.source import PodMetricsSource
from lockstep_reference.vpa.recommender.input.oom import Observer, OomInfo
from lockstep_reference.vpa.recommender.input.selection import Selection
from lockstep_reference.vpa.recommender.input.spec import SpecClient
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID
from lockstep_reference.vpa.recommender.routines.post_processors import extract_container_name
from tests.machinery.fake_server import World

Wire = dict[str, Any]
_POD = PodID("default", "web")
_MAIN = ContainerID(_POD, "main")
_FINISHED = "2000-01-01T00:05:00Z"
_RUNNING: Wire = {"running": {"startedAt": "2000-01-01T00:00:00Z"}}
_WAITING: Wire = {"waiting": {"reason": "CrashLoopBackOff"}}
_KILLED: Wire = {"terminated": {"reason": "OOMKilled", "finishedAt": _FINISHED}}
_FAILED: Wire = {"terminated": {"reason": "Error", "finishedAt": _FINISHED}}


def _status(state: Wire, restarts: int = 0, last: Wire | None = None, memory: str | None = None) -> Wire:
    status: Wire = {"name": "main", "state": state, "restartCount": restarts, "lastState": last or {}}
    if memory is not None:
        status["resources"] = {"requests": {"memory": memory}}
    return status


def _pod(status: Wire | None, memory: str = "1Gi") -> Wire:
    return {
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"containers": [{"name": "main", "resources": {"requests": {"memory": memory}}}]},
        "status": {"containerStatuses": [] if status is None else [status]},
    }


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        (_status(_RUNNING), _status(_KILLED), True),
        (_status(_WAITING), _status(_KILLED), True),
        (_status(_KILLED), _status(_KILLED), False),
        (_status(_KILLED), _status(_KILLED, 1), True),
        (_status(_FAILED), _status(_KILLED), False),
        (_status(_RUNNING), _status(_FAILED), False),
        (_status(_RUNNING), _status(_RUNNING, 1, _KILLED), True),
        (_status(_RUNNING, 1, _KILLED), _status(_RUNNING, 1, _KILLED), False),
        (_status(_WAITING, 0, _KILLED), _status(_RUNNING, 1, _KILLED), False),
        (_status(_KILLED), _status(_RUNNING, 1, _KILLED), False),
        (_status(_RUNNING), _status(_RUNNING, 1, _FAILED), False),
        (None, _status(_KILLED), False),
    ],
)
def test_kills_for_want_of_memory(before: Wire | None, after: Wire, seen: bool) -> None:
    observer = Observer(lambda _: None)
    observer.on_update(_pod(before), _pod(after))
    assert observer.take() == ([OomInfo(parse_rfc3339(_FINISHED), 2**30, _MAIN)] if seen else [])
    assert observer.take() == []


@pytest.mark.parametrize(
    ("after", "memory"), [(_status(_KILLED, memory="300M"), 300_000_000), (_status(_RUNNING, 1, _KILLED), 2**30)]
)
def test_memory_is_that_of_the_life_that_ended(after: Wire, memory: int) -> None:
    observer = Observer(lambda _: None)
    observer.on_update(_pod(_status(_RUNNING), "1Gi"), _pod(after, "2Gi"))
    assert [oom.memory for oom in observer.take()] == [memory]


def _evicted(**fields: Any) -> Wire:
    annotations = {
        "offending_containers": "main,side",
        "offending_containers_usage": "1024Ki,2Mi",
        "starved_resource": "memory,fs",
    }
    event: Wire = {
        "metadata": {"creationTimestamp": _FINISHED, "annotations": annotations},
        "reason": "Evicted",
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "web"},
    }
    return {**event, **fields}


def test_evictions() -> None:
    observer = Observer(lambda _: None)
    observer.on_event(_evicted())
    assert observer.take() == [OomInfo(parse_rfc3339(_FINISHED), 2**20, _MAIN)]


@pytest.mark.parametrize(
    "event",
    [
        _evicted(reason="Killing"),
        _evicted(involvedObject={"kind": "Node", "name": "web"}),
        _evicted(metadata={"creationTimestamp": _FINISHED}),
        _evicted(metadata={"annotations": {"offending_containers": "main", "starved_resource": "memory"}}),
    ],
)
def test_other_events(event: Wire) -> None:
    observer = Observer(lambda _: None)
    observer.on_event(event)
    assert observer.take() == []


def test_an_eviction_with_a_strange_quantity_is_reported() -> None:
    reported: list[str] = []
    observer = Observer(reported.append)
    annotations = {"offending_containers": "main", "offending_containers_usage": " 1", "starved_resource": "memory"}
    observer.on_event(_evicted(metadata={"annotations": annotations}))
    assert observer.take() == []
    assert reported[0].startswith("Cannot parse resource quantity in eviction: quantities must match")


# -- metrics -----------------------------------------------------------------------------------------------------------


def _metrics(**item: Any) -> Wire:
    entry: Wire = {
        "metadata": {"name": "web", "namespace": "default", "creationTimestamp": _FINISHED, "labels": {"app": "web"}},
        "timestamp": "2000-01-01T00:01:00Z",
        "window": "15s",
        "containers": [{"name": "main", "usage": {"cpu": "1420100n", "memory": "102400Ki"}}],
    }
    return {
        "kind": "PodMetricsList",
        "apiVersion": "metrics.k8s.io/v1beta1",
        "metadata": {},
        "items": [{**entry, **item}],
    }


def _ask(answer: Any, status: int = 200) -> list[ContainerMetricsSnapshot]:
    world = World()
    headers = {"Content-Type": "application/json"}
    world.server.script = lambda *_: answer if isinstance(answer, Exception) else Response(status, answer, headers)
    source = PodMetricsSource(Client(world.server), "")
    found: list[ContainerMetricsSnapshot] = world.run(source.get_containers_metrics())
    return found


def _snapshot(cpu: int, memory: int, time: int = 60 * SECOND) -> ContainerMetricsSnapshot:
    return ContainerMetricsSnapshot(_MAIN, time, cpu, memory)


@pytest.mark.parametrize(
    ("usage", "cpu", "memory"),
    [
        ({"cpu": "1420100n", "memory": "102400Ki"}, 2, 104_857_600),
        ({"cpu": "0", "memory": "1500m"}, 0, 2),
        ({"cpu": "2", "memory": "1e3"}, 2000, 1000),
        ({"cpu": 2, "memory": 5}, 2000, 5),
        ({"cpu": "100m"}, 100, 0),
        ({"memory": "1Mi", "ephemeral-storage": "1"}, 0, 1_048_576),
        ({}, 0, 0),
        (None, 0, 0),
    ],
)
def test_usage(usage: Wire | None, cpu: int, memory: int) -> None:
    assert _ask(_metrics(containers=[{"name": "main", "usage": usage}])) == [_snapshot(cpu, memory)]


def test_both_ways_of_reading_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    short = fast_path.read(_metrics(), "metrics.k8s.io/v1beta1")
    assert short == [_snapshot(2, 104_857_600)]
    monkeypatch.setattr(fast_path, "read", lambda *_: None)
    assert _ask(_metrics()) == short


@pytest.mark.parametrize(
    "item",
    [
        {"timestamp": "yesterday"},
        {"window": "long"},
        {"containers": [{"name": "main", "usage": {"cpu": "much", "memory": "1"}}]},
        {"containers": [{"name": 7, "usage": {"cpu": "1", "memory": "1"}}]},
        {"containers": "all"},
        {"metadata": {"name": "web", "namespace": "default", "labels": {"app": 1}}},
    ],
)
def test_malformed_metrics_spoil_everything(item: Wire) -> None:
    with pytest.raises(MetricsError):
        _ask(_metrics(**item))


def test_refused_metrics() -> None:
    with pytest.raises(
        MetricsError, match=r"the server could not find the requested resource \(get pods.metrics.k8s.io\)"
    ):
        _ask("404 page not found", 404)


# -- pods --------------------------------------------------------------------------------------------------------------


def test_specs_are_kept_while_pods_are() -> None:
    pods = Indexer()
    pods.update(_pod(_status(_RUNNING)))
    client = SpecClient(pods)
    (first,) = client.get_pod_specs()
    assert first.containers == ((_MAIN, {CPU: 0, MEMORY: 2**30}),)
    assert client.get_pod_specs()[0] is first
    pods.update(_pod(_status(_RUNNING, memory="2Gi")))
    (second,) = client.get_pod_specs()
    assert second.containers == ((_MAIN, {CPU: 0, MEMORY: 2**31}),)


@pytest.mark.parametrize(
    ("recommender", "names", "chosen"),
    [
        ("default", None, True),
        ("default", [], True),
        ("default", ["default"], True),
        ("default", ["other"], False),
        ("default", ["other", "default"], True),
        ("mine", None, False),
        ("mine", ["default"], False),
        ("mine", ["mine"], True),
    ],
)
def test_recommenders(recommender: str, names: list[str] | None, chosen: bool) -> None:
    spec = {} if names is None else {"recommenders": [{"name": name} for name in names]}
    vpa = {"metadata": {"name": "web", "namespace": "default"}, "spec": spec}
    assert Selection(recommender, "", [""]).filter_vpas([vpa]) == ([vpa] if chosen else [])


def test_namespaces() -> None:
    assert Selection("default", "", [""]).should_ignore_namespace("a") is False
    assert Selection("default", "b", [""]).should_ignore_namespace("a") is True
    assert Selection("default", "", ["a", "b"]).should_ignore_namespace("b") is True


@pytest.mark.parametrize(
    ("annotation", "container"),
    [
        ("vpa-post-processor.kubernetes.io/main_integerCPU", "main"),
        ("vpa-post-processor.kubernetes.io/_integerCPU", ""),
        ("vpa-post-processor.kubernetes.io/main_integerMemory", ""),
        ("other.io/main_integerCPU", ""),
    ],
)
def test_containers_with_whole_cpus(annotation: str, container: str) -> None:
    assert extract_container_name(annotation) == container


# -- history -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"), [("8d", 691_200), ("1h30m", 5400), ("0", 0), ("1y2w3d", 33_004_800), ("5ms", 0.005)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == round(seconds * SECOND)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "empty duration string"),
        ("h", 'not a valid duration string: "h"'),
        ("5", 'not a valid duration string: "5"'),
        ("5x", 'unknown unit "x" in duration "5x"'),
        ("30m1h", 'not a valid duration string: "30m1h"'),
        ("1h1h", 'not a valid duration string: "1h1h"'),
        ("300y", "duration out of range"),
        ("-1h", 'not a valid duration string: "-1h"'),
    ],
)
def test_wrong_durations(text: str, error: str) -> None:
    with pytest.raises(InvalidDuration) as caught:
        parse_duration(text)
    assert str(caught.value) == error


def test_times_are_texts_without_trailing_zeros() -> None:
    assert [format_time(0), format_time(SECOND // 4), format_time(3 * SECOND // 10)] == [
        "946684800",
        "946684800.25",
        "946684800.3",
    ]


def _query(answer: Any, status: int = 200) -> Any:
    world = World()
    world.server.script = lambda *_: Response(status, answer) if not callable(answer) else answer(*_)
    api = PrometheusApi(world.server, 5.0)
    return world.run(api.query_range("up", 0, 3600 * SECOND, 60 * SECOND))


def _success(kind: str, result: Any) -> Wire:
    return {"status": "success", "data": {"resultType": kind, "result": result}}


def test_a_matrix() -> None:
    values = [[946_684_800, "1.5"], [946_684_860.25, "NaN"], [946_684_920, "+Inf"]]
    (series,) = _query(_success("matrix", [{"metric": {"a": "b"}, "values": values}]))
    assert series.metric == {"a": "b"}
    assert [time for time, _ in series.values] == [0, 60_250_000_000, 120 * SECOND]
    assert series.values[0][1] == 1.5
    assert series.values[1][1] != series.values[1][1]
    assert series.values[2][1] == float("inf")


def test_post_and_then_get() -> None:
    asked: list[tuple[str, Any, Any]] = []

    def answer(method: str, _path: str, query: Any, body: Any) -> Response:
        asked.append((method, query, body))
        return Response(405, "") if method == "POST" else Response(200, _success("matrix", []))

    assert _query(answer) == []
    form = "end=946688400&query=up&start=946684800&step=60"
    arguments = {"end": "946688400", "query": "up", "start": "946684800", "step": "60"}
    assert asked == [("POST", {}, form), ("GET", arguments, None)]


@pytest.mark.parametrize(
    ("answer", "status", "error"),
    [
        (_success("vector", []), 200, "expected query to return a matrix; got result type model.Vector"),
        (_success("scalar", []), 200, "expected query to return a matrix; got result type *model.Scalar"),
        (_success("streams", []), 200, 'unexpected value type "streams"'),
        (_success("matrix", [{"values": [["now", "1"]]}]), 200, "malformed matrix: a sample is a time and a text"),
        ({"status": "error", "errorType": "timeout", "error": "slow"}, 200, "timeout: slow"),
        ({"status": "error", "errorType": "bad_data", "error": "no"}, 400, "bad_data: no"),
        ({"status": "success"}, 422, "bad_response: inconsistent body for response code"),
        ("gone", 404, "client_error: client error: 404"),
        ("down", 502, "server_error: server error: 502"),
        ("<html>", 200, "bad_response: Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_answers_without_a_matrix(answer: Any, status: int, error: str) -> None:
    with pytest.raises(PrometheusError) as caught:
        _query(answer, status)
    assert str(caught.value) == error

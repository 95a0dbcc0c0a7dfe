"""The simulated Prometheus, without a real one beside it. Expected numbers are those of Prometheus 2.42."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from lockstep.apiserver import Request
from lockstep.network.target import target_of
from lockstep.prometheus import Prometheus
from lockstep.prometheus.answers import float_text
from lockstep.prometheus.openmetrics import to_openmetrics
from lockstep.prometheus.queries import BadQuery, parse, parse_duration
from lockstep.prometheus.series import Series

_FORM = "application/x-www-form-urlencoded"
_EPOCH = 946_684_800


def _ask(prometheus: Prometheus, endpoint: str, **arguments: object) -> Any:
    request = Request("POST", f"/prometheus/api/v1/{endpoint}", body=urlencode(arguments), content_type=_FORM)
    return prometheus.serve(request).content


def _values(prometheus: Prometheus, query: str, **arguments: object) -> list[Any]:
    given = {"start": _EPOCH, "end": _EPOCH + 120, "step": 60, **arguments}
    (found,) = _ask(prometheus, "query_range", query=query, **given)["data"]["result"]
    return [(time - _EPOCH, value) for time, value in found["values"]]


@pytest.fixture
def prometheus() -> Prometheus:
    filled = Prometheus(lambda: 0)
    filled.add("memory", {"pod": "a"}, [(0.0, 5.0), (60.0, 7.0)])
    filled.add("cpu", {"pod": "a", "name": "main"}, [(15.0 * number, 3.0 * (number % 6)) for number in range(9)])
    return filled


def test_the_last_value_counts_for_five_minutes(prometheus: Prometheus) -> None:
    assert _values(prometheus, "memory") == [(0, "5"), (60, "7"), (120, "7")]
    assert _values(prometheus, "memory", end=_EPOCH + 360, step=180)[-1] == (360, "7")
    assert _values(prometheus, "memory", end=_EPOCH + 361, step=361) == [(0, "5")]


def test_a_rate_is_extended_to_its_range_and_survives_restarts(prometheus: Prometheus) -> None:
    # 0 3 6 9 12 15 | 0 3 6: the counter starts anew after 75 s.
    assert _values(prometheus, "rate(cpu[1m])") == [(60, "0.2"), (120, "0.15")]
    (line,) = _ask(prometheus, "query", query="rate(cpu[2m])", time=_EPOCH + 120)["data"]["result"]
    assert line == {"metric": {"name": "main", "pod": "a"}, "value": [_EPOCH + 120, "0.175"]}


def test_it_remembers_what_it_was_asked_and_how_much_it_answered(prometheus: Prometheus) -> None:
    _values(prometheus, "memory")
    _ask(prometheus, "query", query="memory[1m]", time=_EPOCH + 60)
    _ask(prometheus, "query", query="memory", time=_EPOCH + 60)
    _ask(prometheus, "query", query="memory +")
    _ask(prometheus, "query_range", query="memory", start=_EPOCH, end=_EPOCH + 86_400, step=3600)
    asked = [(one.endpoint, one.arguments["query"], one.days, one.samples) for one in prometheus.asked]
    assert asked == [
        ("query_range", "memory", 0.001, 3),
        ("query", "memory[1m]", 0.0, 2),
        ("query", "memory", 0.0, 1),
        ("query", "memory +", 0.0, 0),
        ("query_range", "memory", 1.0, 1),
    ]


def test_a_range_gives_the_samples_themselves(prometheus: Prometheus) -> None:
    found = _ask(prometheus, "query", query='memory{pod=~"a|b"}[1m]', time=_EPOCH + 60)["data"]
    assert found["resultType"] == "matrix"
    assert found["result"] == [
        {"metric": {"__name__": "memory", "pod": "a"}, "values": [[_EPOCH, "5"], [_EPOCH + 60, "7"]]}
    ]


@pytest.mark.parametrize(
    ("query", "selected"),
    [
        ("up", True),
        ('up{job="a b"}', True),
        ('up{job!="a b"}', False),
        ('up{job=~"a.*", missing=""}', True),
        ('up{job=~"a"}', False),
        ('up{job!~"b.*",}', True),
        ('{__name__="up"}', True),
        ("down", False),
    ],
)
def test_matchers(query: str, selected: bool) -> None:
    assert parse(query).selects({"__name__": "up", "job": "a b"}) is selected


@pytest.mark.parametrize(
    "query", ["", "up[", "rate(up)", "sum(up)", 'up{job=~"("}', "up{job}", "1 + up", "up[5x]", "rate(up[1h]) * 2"]
)
def test_what_is_not_understood(query: str) -> None:
    with pytest.raises(BadQuery):
        parse(query)


def test_durations() -> None:
    assert [parse_duration(text) for text in ("8d", "1h30m", "5ms")] == [691_200_000, 5_400_000, 5]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e-5, "0.000015"),
        (2.5e-7, "2.5e-07"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Inf"),
        (0.0, "0"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert float_text(value) == text


def test_usage_is_counted_and_measured() -> None:
    prometheus = Prometheus(lambda: 0)
    prometheus.usage("web", cpu=0.5, memory="1Ki", days=1 / 1440, every=30)
    cpu, memory = prometheus.series()
    assert (cpu.labels["pod_name"], cpu.labels["name"], cpu.values) == ("web", "main", [0.0, 15.0, 30.0])
    assert (memory.times[-1], memory.values) == (_EPOCH * 1000, [1024.0, 1024.0, 1024.0])


def test_openmetrics() -> None:
    series = Series({"__name__": "up", "job": 'a"b'}, [(1500, 1.0), (2000, 0.25)])
    assert to_openmetrics([series]) == 'up{job="a\\"b"} 1 1.500\nup{job="a\\"b"} 0.25 2.000\n# EOF\n'


def test_times_must_rise() -> None:
    with pytest.raises(ValueError, match="do not ascend"):
        Series({"__name__": "up"}, [(2, 1.0), (2, 1.0)])


def test_any_answer_can_be_given(prometheus: Prometheus) -> None:
    prometheus.answer_with("<html>", 502)
    assert prometheus.serve(Request("POST", "/prometheus/api/v1/query")).status == 502
    prometheus.answer_again()
    assert prometheus.serve(Request("POST", "/prometheus/api/v1/query")).status == 400
    assert prometheus.serve(Request("GET", "/prometheus/graph")).status == 404


def test_faults_can_match_queries_to_prometheus() -> None:
    target = target_of(Request("POST", "/prometheus/api/v1/query_range"))
    assert (target.verb, target.resource, target.name) == ("get", "prometheus", "query_range")

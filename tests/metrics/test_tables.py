"""Exact tables: the numbers exactly as given."""

from __future__ import annotations

import pytest

from lockstep.metrics import MetricsError, each, row
from lockstep.metrics.tables import Row
from lockstep.world import Lifecycle, canonical_order
from tests.metrics.kit import CUSTOM, Metered, play


def by_position(town: Metered) -> list[list[object]]:
    """The containers that the API shows of each pod, in canonical order; [] for none."""
    shown = {entry["metadata"]["name"]: entry["containers"] for entry in town.entries()}
    pods = canonical_order(town.server.objects("pods"))
    return [shown.get(pod["metadata"]["name"], []) for pod in pods]


def main(**usage: object) -> list[object]:
    return [{"name": "main", "usage": usage}]


def test_rows_belong_to_pods_in_canonical_order() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=(3, 1, 2, 99))
        town.web(4)
        town.metrics.exact("web", ["350m", None, "1"])
        await town.until(5)
        assert by_position(town) == [main(cpu="350m"), [], main(cpu="1"), []]
        town.metrics.exact("web", ["350m"], rest="0.1")
        assert by_position(town) == [main(cpu="350m"), *[main(cpu="0.1")] * 3]

    play(body)


def test_tables_of_several_resources_stand_beside_one_another() -> None:
    async def body(town: Metered) -> None:
        town.web(4)
        await town.until(5)
        cpu = town.metrics.exact("web", ["350m", None, "1"])
        town.metrics.exact("web", ["1Gi", "2Gi"], resource="memory")
        town.metrics.exact("web", [None, None, None, "3"], resource="example.com/gpu")
        third = main(**{"example.com/gpu": "3"})
        assert by_position(town) == [main(cpu="350m", memory="1Gi"), main(memory="2Gi"), main(cpu="1"), third]
        cpu.stop()
        assert by_position(town) == [main(memory="1Gi"), main(memory="2Gi"), [], third]

    play(body)


def test_rows_by_container() -> None:
    async def body(town: Metered) -> None:
        town.web(2, ("app", "proxy"))
        await town.until(5)
        town.metrics.exact("web", [{"app": "350m", "proxy": "20m"}, {"proxy": "1"}])
        both = [{"name": "app", "usage": {"cpu": "350m"}}, {"name": "proxy", "usage": {"cpu": "20m"}}]
        assert by_position(town) == [both, [{"name": "proxy", "usage": {"cpu": "1"}}]]
        town.metrics.exact("web", ["7"])
        assert by_position(town) == [[{"name": "app", "usage": {"cpu": "7"}}], []]

    play(body)


def test_a_table_replaces_loads_and_what_it_does_not_name_is_missing() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each("100m"), memory=each("1Mi"))
        town.web(2)
        town.web(1, labels={"app": "web", "canary": "yes"})
        await town.until(15)
        table = town.metrics.exact({"canary": "yes"}, ["9"])
        assert town.used() == ["100m", "100m", "9"]
        table.stop()
        assert town.used() == ["100m", "100m", "100m"]
        town.metrics.exact("web", [])
        assert town.entries() == []

    play(body)


def test_times_are_those_of_the_answer_or_as_said() -> None:
    async def body(town: Metered) -> None:
        town.web(4)
        await town.until(100)
        rows: list[Row | str] = ["1", row("1", age=40), row("1", at=12), row("1", window=30.5)]
        town.metrics.exact("web", rows, age=2, window=60)
        shown = [(entry["timestamp"][-9:], entry["window"]) for entry in town.entries()]
        wanted = [("00:01:39Z", "1m0s"), ("00:01:01Z", "1m0s"), ("00:00:13Z", "1m0s"), ("00:01:39Z", "30.5s")]
        assert sorted(shown) == sorted(wanted)
        await town.until(110)
        assert max(entry["timestamp"][-9:] for entry in town.entries()) == "00:01:49Z"

    play(body)


def test_quantities_stand_as_they_are_given() -> None:
    async def body(town: Metered) -> None:
        town.web(4)
        await town.until(5)
        town.metrics.exact("web", ["18446744073709551615", "-1", "many", 12])
        assert [one[0]["usage"]["cpu"] for one in by_position(town)] == [  # type: ignore[index]
            "18446744073709551615",
            "-1",
            "many",
            12,
        ]

    play(body)


def test_a_table_of_a_pods_metric() -> None:
    async def body(town: Metered) -> None:
        town.web(3)
        await town.until(5)
        town.metrics.pods("http", "web", each(5))
        assert town.values("http") == []
        town.metrics.exact("web", ["10", None, row("20", age=3, window=30)], metric="http")
        items = town.answer(f"{CUSTOM}/namespaces/default/pods/*/http", labelSelector="app=web")["items"]
        assert [(item["value"], item["timestamp"][-3:], item.get("windowSeconds")) for item in in_order(items)] == [
            ("10", "06Z", None),
            ("20", "03Z", 30),
        ]
        town.metrics.exact("web", ["1"])
        assert by_position(town) == [main(cpu="1"), [], []]

    play(body)


def in_order(items: list[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(items, key=lambda item: item["value"])


def test_a_row_has_one_time() -> None:
    with pytest.raises(MetricsError, match="an age, or a fixed moment"):
        row("1", age=3, at=5)

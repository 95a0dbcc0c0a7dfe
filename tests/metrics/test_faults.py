"""What can go wrong: entries that are missing, stale or malformed, answers that are none, and for how long."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.metrics import MetricsError, drop, each, put, ramp
from lockstep.world import Lifecycle, canonical_order
from tests.metrics.kit import CUSTOM, RESOURCE, Metered, play

PODS = f"{RESOURCE}/namespaces/default/pods"


def positions(town: Metered) -> list[int]:
    """The positions of the pods that have metrics."""
    shown = {entry["metadata"]["name"] for entry in town.entries()}
    running = [pod for pod in town.server.objects("pods") if pod["status"].get("phase") == "Running"]
    ordered = canonical_order(running)
    return [number for number, pod in enumerate(ordered) if pod["metadata"]["name"] in shown]


async def loaded(town: Metered, count: int = 4, containers: tuple[str, ...] = ("main",)) -> None:
    town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=tuple(1 + step for step in range(count)))
    town.metrics.load("web", cpu=each(ramp(0, 1000, 0, 1000)))
    town.web(count, containers)
    await town.until(15)


@pytest.mark.parametrize(
    ("which", "left"), [(0, [1, 2, 3]), (-1, [0, 1, 2]), (2, [0, 1, 3]), (9, [0, 1, 2, 3]), (None, [])]
)
def test_a_pod_can_lose_its_metrics(which: int | None, left: list[int]) -> None:
    async def body(town: Metered) -> None:
        await loaded(town)
        lost = town.metrics.lose("web", which)
        assert positions(town) == left
        lost.stop()
        assert positions(town) == [0, 1, 2, 3]

    play(body)


def test_positions_are_found_anew() -> None:
    async def body(town: Metered) -> None:
        await loaded(town)
        town.metrics.lose("web", 0)
        town.delete(town.pick(0), gracePeriodSeconds=0)
        assert positions(town) == [1, 2]
        town.kubelet.set_ready(town.pick(2), False)  # and now it is the first
        assert positions(town) == [1, 2]

    play(body)


def test_a_container_can_be_lost() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 2, ("app", "proxy"))
        town.metrics.lose("web", 0, container="app")
        assert sorted(len(entry["containers"]) for entry in town.entries()) == [1, 2]
        assert town.used(container="app") == ["15"]
        town.metrics.lose("web", 0, container="proxy")
        assert sorted(len(entry["containers"]) for entry in town.entries()) == [0, 2]

    play(body)


def test_a_fault_can_end_by_itself() -> None:
    async def body(town: Metered) -> None:
        await loaded(town)
        town.metrics.lose("web", 0, during=20)
        found = []
        for time in (15, 34.9, 35):
            await town.until(time)
            found.append(len(town.entries()))
        assert found == [3, 3, 4]

    play(body)


def test_the_values_of_a_pod_can_freeze() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 3)
        frozen = town.metrics.freeze("web", 1)
        await town.until(60)
        assert town.used() == ["15", "60", "60"]
        assert sorted(entry["timestamp"][-9:] for entry in town.entries()) == ["00:00:16Z", "00:01:01Z", "00:01:01Z"]
        frozen.stop()
        assert town.used() == ["60", "60", "60"]

    play(body)


def test_what_has_no_metrics_when_it_freezes_gets_none() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 2)
        town.metrics.freeze("web")
        town.web(2)
        await town.until(60)
        assert town.used() == ["15", "15"]

    play(body)


def test_all_can_freeze() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 2)
        town.metrics.pods("http", "web", each(ramp(0, 1000, 0, 1000)))
        await town.until(40)
        town.metrics.freeze(during=100)
        town.web(1)
        town.metrics.load("web", memory="1Mi")
        await town.until(139)
        assert (town.used(), town.values("http")) == (["30", "30"], ["30", "30"])
        assert town.used("memory") == ["0", "0"]
        nodes = town.answer(f"{RESOURCE}/nodes")["items"]
        assert {node["timestamp"] for node in nodes} == {"2000-01-01T00:00:31Z"}
        await town.until(140)
        assert (town.used(), town.values("http")) == (["135"] * 3, ["135"] * 3)

    play(body)


@pytest.mark.parametrize(
    ("edit", "field", "value"),
    [
        (put("timestamp", to=None), "timestamp", None),
        (put("timestamp", to=""), "timestamp", ""),
        (drop("window"), "window", "absent"),
        (put("containers", 0, "usage", "cpu", to="18446744073709551615"), "containers", "18446744073709551615"),
        (put("containers", 0, "usage", "cpu", to=-5), "containers", -5),
        (put("containers", to="none"), "containers", "none"),
        (lambda entry: {**entry, "window": "soon"}, "window", "soon"),
    ],
)
def test_an_entry_can_become_anything(edit: Any, field: str, value: Any) -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 2)
        before = town.entries()
        town.metrics.alter("web", 0, edit)
        changed = [entry for entry in town.entries() if entry not in before]
        assert len(changed) == 1
        found = changed[0].get(field, "absent")
        assert (found[0]["usage"]["cpu"] if isinstance(found, list) else found) == value
        assert town.ask(PODS).raw()  # it can still be sent

    play(body)


def test_what_is_altered_is_a_copy() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 3)
        altered = town.metrics.alter("web", 0, put("containers", 0, "usage", "cpu", to="9"))
        assert town.used() == ["15", "15", "9"]
        altered.stop()
        assert town.used() == ["15", "15", "15"]

    play(body)


def test_edits_of_a_pods_metric() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 3)
        town.metrics.pods("http", "web", each(ramp(0, 1000, 0, 1000)))
        await town.until(30)
        town.metrics.freeze("web", 0, metric="http")
        town.metrics.lose("web", 1, metric="http")
        town.metrics.alter("web", 2, put("value", to="-1"), metric="http")
        await town.until(45)
        assert (town.values("http"), town.used()) == (["-1", "30"], ["45"] * 3)
        old = town.answer(f"{CUSTOM.replace('beta2', 'beta1')}/namespaces/default/pods/*/http")["items"]
        assert sorted((item["metricName"], item["value"]) for item in old) == [("http", "-1"), ("http", "30")]

    play(body)


def test_a_whole_answer_can_become_anything() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 2)
        assert len(town.answer(PODS)["items"]) == 2
        garbled = town.metrics.garble("metrics.k8s.io", drop("items"))
        assert "items" not in town.answer(PODS)
        garbled.stop()
        town.metrics.garble("metrics.k8s.io", put("items", 0, "metadata", to=7), during=1)
        assert town.answer(PODS)["items"][0]["metadata"] == 7
        await town.until(16)
        assert town.answer(PODS)["items"][0]["metadata"] != 7
        town.metrics.garble("metrics.k8s.io", lambda _: "<html>oops")
        reply = town.ask(PODS)
        assert (reply.status, reply.raw(), reply.headers["Content-Type"]) == (200, b"<html>oops", "application/json")

    play(body)


def test_lists_and_nothing_are_answers_too() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 1)
        town.metrics.garble("metrics.k8s.io", lambda _: [])
        assert town.ask(PODS).raw() == b"[]"
        town.metrics.garble("metrics.k8s.io", lambda _: None)
        assert town.ask(PODS).raw() == b"null"

    play(body)


def test_an_unknown_path_is_reported() -> None:
    async def body(town: Metered) -> None:
        await loaded(town, 1)
        town.metrics.alter("web", 0, put("containers", 3, "usage", to={}))
        with pytest.raises(MetricsError, match=r"nothing at containers\.3\.usage"):
            town.entries()
        with pytest.raises(MetricsError, match="use lose"):
            drop()

    play(body)

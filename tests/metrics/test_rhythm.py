"""When usage is measured, and when answers show it."""

from __future__ import annotations

import pytest

from lockstep.metrics import MetricsError, constant, each, ramp
from lockstep.world import Lifecycle
from tests.metrics.kit import RESOURCE, Metered, play

TIME = ramp(0, 100_000, 0, 100_000)  # a curve whose value is the time


async def shown(town: Metered, times: tuple[float, ...]) -> list[str]:
    """What a pod shows at each of these times: when it was measured."""
    found = []
    for time in times:
        await town.until(time)
        found += town.used() or ["-"]
    return found


@pytest.mark.parametrize(
    ("rhythm", "times", "values"),
    [
        ({}, (29.9, 30, 44.9, 45), ["15", "30", "30", "45"]),
        ({"lag": 5}, (34.9, 35, 49.9, 50), ["15", "30", "30", "45"]),
        ({"offset": 4}, (33.9, 34, 48.9, 49), ["19", "34", "34", "49"]),
        ({"period": 30, "kubelet": 10, "offset": 25}, (54, 55, 84, 85), ["20", "50", "50", "80"]),
        ({"period": 10, "kubelet": 25}, (49.9, 50, 79.9, 80), ["-", "50", "50", "75"]),
        ({"period": 0}, (1, 2.5, 40), ["1", "2500m", "40"]),
    ],
    ids=str,
)
def test_answers_show_the_last_measurement(
    rhythm: dict[str, float], times: tuple[float, ...], values: list[str]
) -> None:
    async def body(town: Metered) -> None:
        town.metrics.scrape(**{"period": 15.0, **rhythm})
        town.metrics.load("web", cpu=each(TIME))
        town.web(1)
        assert await shown(town, times) == values

    play(body)


def test_three_periods_in_a_row_cost_up_to_their_sum() -> None:
    """A step of the load, seen through kubelet 10 s, scrape 30 s and a client that asks every 15 s."""

    async def reaction(town: Metered, happens: float) -> float:
        await town.until(happens)
        load = town.metrics.load("web", cpu=each(1))
        while "1" not in town.used():
            await town.until(((town.time - 8.9) // 15 + 1) * 15 + 8.9)
        load.stop()
        return town.time - happens

    async def body(town: Metered) -> None:
        town.metrics.scrape(period=30, kubelet=10, offset=9)
        town.metrics.load("web", memory=each("1Mi"))
        town.web(1)
        # just after the point that the kubelet took for the next scrape; just before one
        assert await reaction(town, 120.1) == pytest.approx(53.8)
        assert await reaction(town, 269.9) == pytest.approx(24.0)

    play(body)


@pytest.mark.parametrize(
    ("start", "period", "first", "window"),
    [
        (0.5, 15, 15, "14.5s"),  # old enough when it is first scraped
        (5, 15, 15, "10s"),
        (5.5, 15, 30, "15s"),  # too young, so it takes two
        (15, 15, 30, "15s"),  # started at the instant of a scrape, which does not see it
        (0.5, 60, 60, "59.5s"),
        (49, 60, 60, "11s"),
        (51, 60, 120, "1m0s"),
        (0.5, 10, 20, "10s"),  # a period that is never enough by itself
        (10, 10, 30, "10s"),
    ],
)
def test_a_container_has_metrics_once_it_has_a_rate(start: float, period: float, first: float, window: str) -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=start, ready_after=start)
        town.metrics.scrape(period=period)
        town.metrics.load("web", cpu=each(1))
        town.web(1)
        await town.until(first - 0.1)
        assert town.entries() == []
        await town.until(first)
        (entry,) = town.entries()
        assert entry["window"] == window
        await town.until(first + period)
        assert [one["window"] for one in town.entries()] == [f"{period // 60}m0s" if period >= 60 else f"{period}s"]

    play(body)


def test_a_pod_waits_for_all_its_containers() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.web(1, ("app", "proxy"))
        await town.until(16)
        assert town.used(container="app") == ["1"]
        town.kubelet.restart(town.pick(0), "proxy")
        await town.until(29)
        assert town.used(container="app") == ["1"]
        await town.until(30)  # 14 s after the restart, it has a rate of its own
        (entry,) = town.entries()
        assert (entry["window"], len(entry["containers"])) == ("14s", 2)
        await town.until(38)
        town.kubelet.restart(town.pick(0), "proxy")
        await town.until(45)
        assert town.entries() == []
        await town.until(60)
        assert town.used(container="app") == ["1"]

    play(body)


def test_the_window_of_a_pod_is_its_shortest() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.web(1, ("app", "proxy"))
        await town.until(16)
        town.kubelet.restart(town.pick(0), "app")
        await town.until(30)
        assert [entry["window"] for entry in town.entries()] == ["14s"]

    play(body)


def test_pods_of_different_age_have_windows_of_their_own() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.web(2)
        await town.until(19)
        town.web(1)
        await town.until(24)
        town.web(1)
        await town.until(30)
        assert sorted(entry["window"] for entry in town.entries()) == ["11s", "15s", "15s"]

    play(body)


def test_a_scrape_does_not_see_what_happens_at_its_instant() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=1)
        town.metrics.load("web", cpu=constant(1))
        town.web(1)
        await town.until(30)
        town.kubelet.restart(town.pick(0))
        assert town.used() == ["1"]
        await town.until(31)
        assert town.used() == ["1"]
        await town.until(45)
        assert [entry["window"] for entry in town.entries()] == ["15s"]

    play(body)


def test_a_later_request_sees_the_same() -> None:
    """A measurement is evaluated when it is asked for, but of the moment at which it was made."""
    found: list[tuple[list[str], list[str]]] = []

    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=1)
        town.metrics.scrape(lag=10)
        town.metrics.load("web", cpu=each(TIME))
        town.web(3)
        await town.until(16)
        town.kubelet.restart(town.pick(0))
        town.kubelet.fail(town.pick(1))
        if not found:
            await town.until(25)
            town.used()
        await town.until(31)
        found.append((town.used(), [entry["window"] for entry in town.entries()]))

    play(body)
    play(body)
    assert found[0] == (["15"] * 2, ["15s"] * 2)
    assert found[0] == found[1]


def test_pods_that_do_not_run_any_more_are_gone_at_once() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.web(3)
        await town.until(16)
        town.kubelet.succeed(town.pick(0))
        assert len(town.entries()) == 2
        town.delete(town.pick(0), gracePeriodSeconds=0)
        town.delete(town.pick(-1), gracePeriodSeconds=0)
        assert len(town.entries()) == 1

    play(body)


def test_pods_that_were_there_before_the_first_word_about_metrics() -> None:
    async def body(town: Metered) -> None:
        town.web(2)
        await town.until(40)
        town.metrics.load("web", cpu=each(1), startup=ramp(0, 100, 1, 0))
        await town.until(45)
        assert town.used() == ["1550m"] * 2
        assert [entry["window"] for entry in town.entries()] == ["15s"] * 2

    play(body)


def test_the_window_can_be_said() -> None:
    async def body(town: Metered) -> None:
        town.metrics.scrape(period=0)
        town.metrics.load("web", cpu=each(1))
        town.web(1)
        await town.until(1)
        assert [entry["window"] for entry in town.entries()] == ["15s"]
        town.metrics.scrape(period=30, window=20)
        await town.until(60)
        assert [entry["window"] for entry in town.entries()] == ["20s"]
        town.metrics.scrape(window=0)
        assert [entry["window"] for entry in town.entries()] == ["0s"]

    play(body)


def test_a_pod_as_metrics_server_shows_it() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(0.1234567891), memory=each("10Mi"))
        town.web(2)
        await town.until(15.7)
        listed = town.answer(f"{RESOURCE}/namespaces/default/pods", labelSelector="app in (web),!none")
        names = sorted(one["metadata"]["name"] for one in town.server.objects("pods"))
        entry = {
            "timestamp": "2000-01-01T00:00:16Z",
            "window": "15s",
            "containers": [{"name": "main", "usage": {"cpu": "123456789n", "memory": "10Mi"}}],
        }
        assert listed == {
            "kind": "PodMetricsList",
            "apiVersion": "metrics.k8s.io/v1beta1",
            "metadata": {},
            "items": [
                {
                    "metadata": {
                        "name": name,
                        "namespace": "default",
                        "creationTimestamp": "2000-01-01T00:00:16Z",
                        "labels": {"app": "web"},
                    },
                    **entry,
                }
                for name in names
            ],
        }
        one = town.answer(f"{RESOURCE}/namespaces/default/pods/{names[1]}")
        assert one == {"kind": "PodMetrics", "apiVersion": "metrics.k8s.io/v1beta1", **listed["items"][1]}
        chosen = town.answer(f"{RESOURCE}/namespaces/default/pods", fieldSelector=f"metadata.name={names[0]}")
        assert chosen["items"] == listed["items"][:1]

    play(body)


def test_a_pod_without_metrics_is_not_found() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.web(1)
        name = town.pick(0)["metadata"]["name"]
        path = f"{RESOURCE}/namespaces/default/pods"
        assert town.refused(f"{path}/{name}") == (404, f'pods "{name}" not found')  # it does not run yet
        await town.until(10)
        assert town.refused(f"{path}/{name}") == (404, f'podmetrics.metrics.k8s.io "default/{name}" not found')
        assert town.refused(f"{path}/absent") == (404, 'pods "absent" not found')

    play(body)


def test_what_makes_no_sense_is_refused() -> None:
    async def body(town: Metered) -> None:
        with pytest.raises(MetricsError, match="use 0 or more"):
            town.metrics.scrape(lag=-1)
        with pytest.raises(MetricsError, match="need a period"):
            town.metrics.scrape(period=0, kubelet=10)

    play(body)

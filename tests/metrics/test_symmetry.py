"""Metrics never distinguish equal pods: whichever of them a controller deletes, the rest shows the same numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from lockstep.metrics import Metrics, each, row, shared
from lockstep.metrics.usage import Usage
from lockstep.world import Lifecycle
from tests.metrics.kit import Metered, play
from tests.world.kit import Object

SAY: dict[str, Callable[[Metrics], object]] = {
    "noise of each": lambda metrics: metrics.load("web", cpu=each(1, noise=0.5)),
    "noise of a share": lambda metrics: metrics.load("web", cpu=shared(10, noise=0.5)),
    "a table": lambda metrics: metrics.exact("web", ["1", None, row("3", age=5), "4", "5"], rest="6"),
    "a lost pod": lambda metrics: [metrics.load("web", cpu=shared(10)), metrics.lose("web", 0)],
    "a pods metric": lambda metrics: metrics.pods("http", "web", each(1, noise=0.5)),
}


def seen(say: Callable[[Metrics], object], victims: int) -> list[tuple[list[tuple[str, Any, Any]], list[str]]]:
    """What is shown of six pods, three of which a controller deletes: which ones, `victims` decides."""
    found: list[tuple[list[tuple[str, Any, Any]], list[str]]] = []

    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=1)
        town.metrics.load({"app": "none"}, cpu=1)  # both APIs are there, whatever is said
        town.metrics.pods("http", {"app": "none"}, 1)
        say(town.metrics)
        town.web(6)
        rng = random.Random(victims)
        for time in (15, 31, 46, 61):
            await town.until(time)
            shown = sorted((str(entry["containers"]), entry["timestamp"], entry["window"]) for entry in town.entries())
            found.append((shown, town.values("http")))
            if time < 60:
                town.delete(rng.choice(town.server.objects("pods")), gracePeriodSeconds=0)

    play(body)
    return found


@pytest.mark.parametrize("say", SAY.values(), ids=SAY)
def test_it_does_not_matter_which_of_equal_pods_goes(say: Callable[[Metrics], object]) -> None:
    first = seen(say, 0)
    assert all(shown or values for shown, values in first)
    for victims in range(1, 6):
        assert seen(say, victims) == first


@pytest.mark.parametrize("usage", [each(1, noise=0.5), shared(10, noise=0.5)], ids=["each", "shared"])
def test_a_pod_that_differs_gets_the_same_whichever_it_is(usage: Usage) -> None:
    def of_the_restarted(choice: int) -> list[str]:
        found: list[str] = []

        async def body(town: Metered) -> None:
            town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=1)
            town.metrics.load("web", cpu=usage)
            town.web(5)
            await town.until(5)
            town.kubelet.restart(town.server.objects("pods")[choice])
            for time in (16, 31, 46):
                await town.until(time)
                (restarted,) = (pod for pod in town.server.objects("pods") if restarts(pod))
                shown = {entry["metadata"]["name"]: entry["containers"] for entry in town.entries()}
                found.append(str(shown[restarted["metadata"]["name"]]))

        play(body)
        return found

    assert [of_the_restarted(choice) for choice in range(5)] == [of_the_restarted(0)] * 5


def restarts(pod: Object) -> int:
    return sum(one["restartCount"] for one in pod["status"]["containerStatuses"])

"""Events: correlation and sending (client-go tools/record)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from lockstep_reference.machinery.events import EventBroadcaster, Recorder
from lockstep_reference.machinery.transport import Response
from tests.machinery.fake_server import pod, status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.machinery.fake_server import World

Body = dict[str, Any]


class Sink:
    """Stores events like a server would."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.stored: dict[str, Body] = {}
        self.version = 100
        world.server.script = self.answer

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Response | Exception:
        self.version += 1
        if method == "POST":
            name = body["metadata"]["name"]
        else:
            name = path.rpartition("/")[2]
            if name not in self.stored:
                return status(404, "NotFound", "not found")
        merged = {**self.stored.get(name, {}), **body}
        merged["metadata"] = {**merged["metadata"], "resourceVersion": str(self.version)}
        self.stored[name] = merged
        return Response(200, merged)


def record(world: World, body: Callable[[Recorder], Awaitable[None]]) -> list[tuple[float, str, str, Body]]:
    async def main() -> None:
        broadcaster = EventBroadcaster(world.client, world.clock, world.rng)
        recorder = broadcaster.new_recorder("replicaset-controller")
        recorder.event(pod("lost", 1), "Normal", "Early", "before the start")
        owner = asyncio.ensure_future(own(broadcaster))
        await world.sleep(0)
        await body(recorder)
        owner.cancel()

    async def own(broadcaster: EventBroadcaster) -> None:
        async with asyncio.TaskGroup() as group:
            broadcaster.start(group)

    world.run(main())
    return [(at, method, path.removeprefix("/api/v1/"), sent) for at, method, path, _, sent in world.server.requests]


def test_an_event_as_it_is_sent(world: World) -> None:
    Sink(world)

    async def body(recorder: Recorder) -> None:
        await world.sleep(1.5)
        recorder.event(pod("a", 7), "Normal", "SuccessfulCreate", "Created pod: x")
        await world.sleep(0)

    [(at, method, path, sent)] = record(world, body)
    assert (at, method, path) == (1.5, "POST", "namespaces/default/events")
    assert sent == {
        "kind": "Event",
        "apiVersion": "v1",
        "metadata": {"name": "a.d234ccfabab2f00", "namespace": "default"},
        "involvedObject": {
            "kind": "Pod",
            "namespace": "default",
            "name": "a",
            "uid": "uid-a",
            "apiVersion": "v1",
            "resourceVersion": "7",
        },
        "reason": "SuccessfulCreate",
        "message": "Created pod: x",
        "source": {"component": "replicaset-controller"},
        "firstTimestamp": "2000-01-01T00:00:01Z",
        "lastTimestamp": "2000-01-01T00:00:01Z",
        "count": 1,
        "type": "Normal",
        "eventTime": None,
        "reportingComponent": "replicaset-controller",
        "reportingInstance": "",
    }


def test_a_repeated_event_patches_the_first(world: World) -> None:
    sink = Sink(world)

    async def body(recorder: Recorder) -> None:
        for _ in range(3):
            recorder.event(pod("a", 7), "Warning", "FailedCreate", "no")
            await world.sleep(60)

    first, second, third = record(world, body)
    name = first[3]["metadata"]["name"]
    assert (second[1], second[2]) == ("PATCH", f"namespaces/default/events/{name}")
    assert second[3] == {"count": 2, "lastTimestamp": "2000-01-01T00:01:00Z", "message": "no"}
    assert third[3]["count"] == 3
    assert len(sink.stored) == 1


def test_a_patch_of_an_expired_event_creates_it_again(world: World) -> None:
    sink = Sink(world)

    async def body(recorder: Recorder) -> None:
        recorder.event(pod("a", 7), "Normal", "R", "m")
        await world.sleep(60)
        sink.stored.clear()
        recorder.event(pod("a", 7), "Normal", "R", "m")
        await world.sleep(1)

    sent = record(world, body)
    assert [method for _, method, _, _ in sent] == ["POST", "PATCH", "POST"]
    again = sent[2][3]
    assert again["metadata"] == sent[0][3]["metadata"]
    assert (again["count"], again["firstTimestamp"]) == (2, "2000-01-01T00:00:00Z")
    assert again["lastTimestamp"] == "2000-01-01T00:01:00Z"


def test_the_tenth_similar_event_is_combined(world: World) -> None:
    Sink(world)

    async def body(recorder: Recorder) -> None:
        for number in range(12):
            recorder.event(pod("a", 7), "Normal", "SuccessfulCreate", f"Created pod: {number}")
            await world.sleep(1)

    sent = record(world, body)
    assert [method for _, method, _, _ in sent] == ["POST"] * 10 + ["PATCH"] * 2
    assert sent[8][3]["message"] == "Created pod: 8"
    combined = sent[9][3]
    assert combined["message"] == "(combined from similar events): Created pod: 9"
    assert (combined["reportingComponent"], combined["count"]) == ("", 1)
    assert sent[11][3]["count"] == 3
    assert sent[11][3]["message"] == "(combined from similar events): Created pod: 11"


def test_similar_events_are_new_again_after_ten_quiet_minutes(world: World) -> None:
    Sink(world)

    async def body(recorder: Recorder) -> None:
        for number in range(12):
            recorder.event(pod("a", 7), "Normal", "R", f"{number}")
            await world.sleep(601 if number == 8 else 0)

    sent = record(world, body)
    assert [entry[3]["message"] for entry in sent[8:]] == ["8", "9", "10", "11"]


def test_a_burst_of_25_then_one_in_five_minutes(world: World) -> None:
    Sink(world)

    async def body(recorder: Recorder) -> None:
        for _ in range(30):
            recorder.event(pod("a", 7), "Normal", "R", "m")
        await world.sleep(299)
        recorder.event(pod("a", 7), "Normal", "R", "m")
        await world.sleep(2)
        recorder.event(pod("a", 7), "Normal", "R", "m")
        recorder.event(pod("b", 8), "Normal", "R", "m")
        await world.sleep(1)

    sent = record(world, body)
    assert [at for at, *_ in sent] == [0.0] * 25 + [301.0, 301.0]
    assert sent[25][3]["count"] == 32  # what was dropped has been counted all the same


def test_unreachable_servers_are_tried_twelve_times_ten_seconds_apart(world: World) -> None:
    world.server.script = lambda *_: ConnectionError("reset")

    async def body(recorder: Recorder) -> None:
        recorder.event(pod("a", 7), "Normal", "R", "m")
        recorder.event(pod("b", 7), "Normal", "R", "m")
        await world.sleep(115)

    at = [moment for moment, *_ in record(world, body)]
    assert 0 < at[1] < 10
    assert [later - at[1] for later in at[1:12]] == pytest.approx([10.0 * n for n in range(11)])
    assert at[12] == at[11]  # given up: the next one at once


def test_rejected_events_are_given_up(world: World) -> None:
    world.server.script = lambda *_: status(403, "Forbidden", "no")

    async def body(recorder: Recorder) -> None:
        recorder.event(pod("a", 7), "Normal", "R", "m")
        await world.sleep(100)

    assert len(record(world, body)) == 1


def test_names_that_no_event_may_have_become_uuids(world: World) -> None:
    Sink(world)

    async def body(recorder: Recorder) -> None:
        recorder.event(pod("UPPER", 7), "Normal", "R", "m")
        recorder.event(pod("x" * 250, 7), "Normal", "R", "m")
        recorder.event(pod("a", 7), "Odd", "R", "m")
        await world.sleep(0)

    names = [sent["metadata"]["name"] for *_, sent in record(world, body)]
    assert [len(name) for name in names] == [36, 36]
    assert names[0] != names[1]


def test_overload_drops_what_comes_last(world: World) -> None:
    Sink(world)

    async def body(recorder: Recorder) -> None:
        for number in range(1100):
            recorder.event(pod(f"p{number}", 7), "Normal", "R", "m")
        await world.sleep(1)

    assert len(record(world, body)) == 1000

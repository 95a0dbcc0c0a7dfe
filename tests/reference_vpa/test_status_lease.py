"""The admission controller's Lease, and tickers. After pkg/utils/status/status_object_test.go."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lockstep_reference.machinery.errors import ApiError
from lockstep_reference.machinery.ticker import Ticker
from lockstep_reference.machinery.transport import Response
from lockstep_reference.vpa.utils.status import BackoffTimedOutError, StatusClient, StatusUpdater
from tests.machinery.fake_server import World, status

Answer = Response | Exception


def _lease(created: str | None = None, renewed: str | None = None) -> Response:
    metadata = {"name": "lease", **({"creationTimestamp": created} if created else {})}
    return Response(200, {"metadata": metadata, "spec": {"renewTime": renewed} if renewed else {}})


def _client(world: World, *answers: Answer) -> StatusClient:
    left = list(answers)
    world.server.script = lambda *_: left.pop(0)
    return StatusClient(world.client, world.clock, "lease", "kube-system", lease_duration=10.7, holder_identity="me")


def _is_valid(*answers: Answer) -> tuple[Any, list[float]]:
    """Whether the Lease is valid at 100 s, or the error; and the seconds at which it was read."""
    world = World()
    client = _client(world, *answers)

    async def ask() -> Any:
        await world.sleep(100)
        try:
            return await client.is_status_valid(60)
        except (ApiError, ConnectionError, BackoffTimedOutError) as error:
            return str(error)

    return world.run(ask()), [request[0] for request in world.server.requests]


@pytest.mark.parametrize(
    ("lease", "valid"),
    [
        (_lease("2000-01-01T00:00:41Z"), True),
        (_lease("2000-01-01T00:00:40Z"), False),
        (_lease("1999-01-01T00:00:00Z", "2000-01-01T00:00:40.000001Z"), True),
        (_lease("1999-01-01T00:00:00Z", "2000-01-01T00:00:40.000000Z"), False),
        (_lease(), False),
    ],
)
def test_a_lease_counts_for_a_while(lease: Response, valid: bool) -> None:
    assert _is_valid(lease) == (valid, [100.0])


_VALID = _lease("2000-01-01T00:01:40Z")


@pytest.mark.parametrize(
    ("answers", "result", "tries"),
    [
        ([status(500, "InternalError"), _VALID], True, [100, 100.1]),
        ([status(504, "Timeout"), status(429, "TooManyRequests"), _VALID], True, [100, 100.1, 100.4]),
        ([status(500, "ServerTimeout")] * 3, "timed out waiting for the condition", [100, 100.1, 100.4]),
        ([status(404, "NotFound", "gone")], "gone", [100]),
        ([status(403, "Forbidden", "no")], "no", [100]),
        ([ConnectionRefusedError("connection refused")], "connection refused", [100]),
    ],
)
def test_reading_is_tried_again_where_it_may_help(answers: list[Answer], result: Any, tries: list[float]) -> None:
    found, times = _is_valid(*answers)
    assert found == result
    assert times == pytest.approx(tries)


def _update(*answers: Answer) -> tuple[str, list[tuple[str, Any]]]:
    world = World()
    client = _client(world, *answers)

    async def renew() -> str:
        await world.sleep(1.5)
        try:
            await client.update_status()
        except (ApiError, BackoffTimedOutError) as error:
            return str(error)
        return ""

    return world.run(renew()), [(method, body) for _, method, _, _, body in world.server.requests]


def test_the_lease_is_renewed() -> None:
    known = Response(200, {"metadata": {"name": "lease", "resourceVersion": "7"}, "spec": {"leaseDurationSeconds": 10}})
    said, [_, (method, body)] = _update(known, Response(200, {}))
    assert (said, method, body["metadata"]["resourceVersion"]) == ("", "PUT", "7")
    wanted = {"leaseDurationSeconds": 10, "renewTime": "2000-01-01T00:00:01.500000Z", "holderIdentity": "me"}
    assert body["spec"] == wanted


def test_the_lease_is_made() -> None:
    said, [_, (method, body)] = _update(status(404, "NotFound"), Response(201, {}))
    assert (said, method) == ("", "POST")
    assert body["spec"] == {"holderIdentity": "me", "leaseDurationSeconds": 10}


def test_that_someone_else_was_faster_is_no_error() -> None:
    assert _update(_lease(), status(409, "Conflict"))[0] == ""
    assert _update(status(404, "NotFound"), status(409, "AlreadyExists"))[0] == ""
    assert _update(_lease(), status(403, "Forbidden", "no"))[0] == "no"


def test_the_updater_renews_in_each_interval_and_goes_on_after_errors() -> None:
    world = World()
    world.server.script = lambda method, *_: status(403, "Forbidden", "no") if method == "GET" else None
    said: list[str] = []
    client = StatusClient(world.client, world.clock, "lease", "kube-system")

    async def watch() -> None:
        task = asyncio.ensure_future(StatusUpdater(client, 10, world.clock, said.append).run())
        await world.sleep(35)
        task.cancel()

    world.run(watch())
    assert [request[0] for request in world.server.requests] == [10, 20, 30]
    assert said == ["Status update failed: no"] * 3


def test_a_ticker_keeps_one_tick_and_its_rhythm() -> None:
    world = World()
    heard: list[float] = []

    async def listen() -> None:
        ticker = Ticker(10, world.clock)
        for busy in (0, 25, 0, 3, 0):
            await ticker.tick()
            heard.append(world.now)
            await asyncio.sleep(busy)

    world.run(listen())
    assert heard == [10, 20, 45, 50, 60]

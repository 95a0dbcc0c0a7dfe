"""Reflectors: watch lists, lists, and what follows an end or a refusal (client-go tools/cache/reflector.go)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lockstep_reference.machinery.informer import wait_for_named_cache_sync
from lockstep_reference.machinery.transport import Response
from tests.machinery.fake_server import Stream, pod, status
from tests.machinery.informers import Pods, run, watches

if TYPE_CHECKING:
    from tests.machinery.fake_server import World


def test_starts_with_a_watch_list_and_workers_after_100_ms(world: World) -> None:
    world.server.put("a")
    world.server.put("b")
    pods = Pods(world)
    synced: list[float] = []

    async def body() -> None:
        await wait_for_named_cache_sync(pods.informer.has_synced, pods.registration.has_synced)
        synced.append(world.now)
        assert [obj["metadata"]["name"] for obj in pods.informer.indexer.list()] == ["a", "b"]
        assert pods.informer.indexer.last_store_sync_resource_version() == "12"
        assert pods.informer.last_sync_resource_version() == "12"

    run(world, pods, body)
    assert synced == [0.1]
    assert pods.heard == [(0.0, "add", "a"), (0.0, "add", "b")]
    [(_, _, path, query, _)] = world.server.requests
    assert path == "/api/v1/pods"
    seconds = int(query.pop("timeoutSeconds"))
    assert 300 <= seconds < 600
    assert query == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "timeout": f"{seconds // 60}m{seconds % 60}s",
    }


def test_an_ended_watch_is_reopened_where_it_ended(world: World) -> None:
    pods = Pods(world)

    async def body() -> None:
        await world.sleep(400)
        world.server.put("a")
        world.server.end_watches()
        await world.sleep(1)

    run(world, pods, body)
    assert watches(world)[1:] == [(400.0, {"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": "11"})]


def test_a_missed_deletion_becomes_a_tombstone_after_expiry(world: World) -> None:
    world.server.put("gone")
    world.server.put("kept")
    pods = Pods(world)

    async def body() -> None:
        await world.sleep(10)
        world.server.remove("gone", silently=True)
        expired = {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired", "message": "too old"}
        world.server.end_watches(("ERROR", expired))
        await world.sleep(2)

    run(world, pods, body)
    at = watches(world)[1][0]
    assert 10.8 <= at < 11.6
    assert watches(world)[1][1]["resourceVersion"] == "12"  # at least as fresh as what was seen
    assert watches(world)[1][1]["sendInitialEvents"] == "true"
    # No resync was requested, so no handler has left the syncing set: the unchanged pod is reported as well.
    assert pods.heard[2:] == [(at, "tombstone", "default/gone", "11"), (at, "update", "kept", "12", "12")]


def test_an_expired_watch_list_starts_over_without_a_version(world: World) -> None:
    pods = Pods(world)

    async def body() -> None:
        await world.sleep(5)
        answers = [status(410, "Expired", "too old resource version")]
        world.server.script = lambda *_: answers.pop() if answers else None
        world.server.end_watches()  # a watch that lasted, but ends: reopened, refused, and so fetched anew
        await world.sleep(3)

    run(world, pods, body)
    reopened, relisted = watches(world)[1:]
    assert reopened == (5.0, {"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": "10"})
    assert 5.8 <= relisted[0] < 6.6
    assert relisted[1]["resourceVersion"] == "10"


def test_an_expired_watch_list_drops_its_version_at_once(world: World) -> None:
    pods = Pods(world)

    async def body() -> None:
        await world.sleep(5)
        answers = [status(410, "Expired"), status(410, "Expired")]
        world.server.script = lambda *_: answers.pop() if answers else None
        world.server.end_watches()
        await world.sleep(3)

    run(world, pods, body)
    refused, fresh = watches(world)[2:]
    assert refused[0] == fresh[0]
    assert (refused[1]["resourceVersion"], fresh[1].get("resourceVersion")) == ("10", None)


def test_a_server_without_watch_lists_is_listed(world: World) -> None:
    world.server.put("a")
    pods = Pods(world)

    def refuse(method: str, path: str, query: dict[str, str], body: Any) -> Response | None:
        if "sendInitialEvents" in query:
            return status(422, "Invalid", "sendInitialEvents is forbidden")
        return None

    world.server.script = refuse

    async def body() -> None:
        await world.sleep(1)
        assert pods.informer.has_synced()
        [obj] = pods.informer.indexer.list()
        assert (obj["kind"], obj["apiVersion"]) == ("Pod", "v1")  # lists leave them out

    run(world, pods, body)
    assert [
        (method, query.get("resourceVersion"), query.get("limit")) for _, method, _, query, _ in world.server.requests
    ] == [
        ("WATCH", None, None),
        ("GET", "0", "500"),
        ("WATCH", "11", None),
    ]
    assert pods.heard == [(0.0, "add", "a")]


def test_a_list_is_fetched_page_by_page(world: World) -> None:
    pods = Pods(world)
    pages = [
        Response(200, {"metadata": {"resourceVersion": "50", "continue": "next"}, "items": [pod("a", 1), pod("b", 2)]}),
        Response(200, {"metadata": {"resourceVersion": "50"}, "items": [pod("c", 3)]}),
    ]

    def answer(method: str, path: str, query: dict[str, str], body: Any) -> Response | None:
        if "sendInitialEvents" in query:
            return status(400, "BadRequest")
        return pages.pop(0) if method == "GET" else None

    world.server.script = answer

    async def body() -> None:
        await world.sleep(1)

    run(world, pods, body)
    lists = [query for _, method, _, query, _ in world.server.requests if method == "GET"]
    assert lists == [{"resourceVersion": "0", "limit": "500"}, {"limit": "500", "continue": "next"}]
    assert [name for _, _, name in pods.heard] == ["a", "b", "c"]
    assert watches(world)[-1][1]["resourceVersion"] == "50"


def test_a_very_short_watch_backs_off_and_fetches_anew(world: World) -> None:
    pods = Pods(world)

    async def body() -> None:
        await world.sleep(5)
        world.server.script = lambda method, _path, query, _body: (
            _ended() if method == "WATCH" and "sendInitialEvents" not in query and world.now < 5.5 else None
        )
        world.server.end_watches()
        await world.sleep(3)

    run(world, pods, body)
    at = [moment for moment, _ in watches(world)]
    assert at[1] == 5.0
    assert 5.8 <= at[2] < 6.6
    assert watches(world)[2][1]["sendInitialEvents"] == "true"


def _ended() -> Any:
    stream = Stream()
    stream.send(None)
    return stream


def test_refused_connections_back_off_exponentially_up_to_30_s(world: World) -> None:
    pods = Pods(world)

    async def body() -> None:
        await world.sleep(110)

    world.server.script = lambda *_: ConnectionRefusedError("connection refused")
    run(world, pods, body)
    at = [moment for moment, *_ in world.server.requests]
    gaps = [later - earlier for earlier, later in pairwise(at)]
    for base, gap in zip([0.8, 1.6, 3.2, 6.4, 12.8, 25.6], gaps, strict=False):
        assert base <= gap < 2 * base
    assert len(gaps) >= 5


def test_a_broken_watch_connection_ends_it_like_any_other_end(world: World) -> None:
    pods = Pods(world)

    async def body() -> None:
        await world.sleep(5)
        world.server.end_watches(ConnectionError("connection reset by peer"))
        await world.sleep(0)

    run(world, pods, body)
    assert [at for at, _ in watches(world)] == [0.0, 5.0]

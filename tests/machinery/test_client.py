"""The REST client: retries and error texts (client-go rest)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lockstep_reference.machinery.client import (
    ApiError,
    Client,
    EndedStream,
    has_status_cause,
    is_conflict,
    is_not_found,
)
from lockstep_reference.machinery.errors import (
    is_expired,
    is_too_large_resource_version,
    is_too_many_requests,
)
from lockstep_reference.machinery.throttle import Throttle
from lockstep_reference.machinery.transport import Response
from tests.machinery.fake_server import pod, status

if TYPE_CHECKING:
    from tests.machinery.fake_server import World


def throttled(seconds: str | None, code: int = 429) -> Response:
    headers = {} if seconds is None else {"Retry-After": seconds}
    return Response(code, status(code, "TooManyRequests", "slow down").body, headers)


def test_retry_after_is_obeyed_ten_times_for_any_method(world: World) -> None:
    world.server.script = lambda *_: throttled("2")

    async def main() -> None:
        await world.client.resource("pods").create("default", pod("a"))

    with pytest.raises(ApiError, match="slow down"):
        world.run(main())
    assert [at for at, *_ in world.server.requests] == [2.0 * n for n in range(11)]


@pytest.mark.parametrize("answer", [throttled(None), throttled("soon"), throttled("1", code=409)])
def test_without_retry_after_or_overload_nothing_is_retried(world: World, answer: Response) -> None:
    world.server.script = lambda *_: answer

    async def main() -> None:
        await world.client.resource("pods").get("default", "a")

    with pytest.raises(ApiError):
        world.run(main())
    assert len(world.server.requests) == 1


def test_broken_connections_are_retried_for_reads_only(world: World) -> None:
    answers: list[Any] = [ConnectionError("reset"), ConnectionError("reset"), Response(200, pod("a"))]
    world.server.script = lambda method, *_: answers.pop(0) if method == "GET" else ConnectionError("reset")
    pods = world.client.resource("pods")

    async def main() -> None:
        assert await pods.get("default", "a") == pod("a")
        with pytest.raises(ConnectionError):
            await pods.delete("default", "a")

    world.run(main())
    assert [(at, method) for at, method, *_ in world.server.requests] == [
        (0.0, "GET"),
        (1.0, "GET"),
        (2.0, "GET"),
        (2.0, "DELETE"),
    ]


def test_a_watch_that_keeps_breaking_becomes_an_empty_one(world: World) -> None:
    world.server.script = lambda *_: ConnectionError("reset")

    async def main() -> None:
        stream = await world.client.resource("pods").watch({})
        assert isinstance(stream, EndedStream)
        assert await stream.next() is None

    world.run(main())
    assert len(world.server.requests) == 11


def test_refused_connections_are_not_retried(world: World) -> None:
    world.server.script = lambda *_: ConnectionRefusedError("refused")

    async def main() -> None:
        for attempt in (world.client.resource("pods").watch({}), world.client.resource("pods").list()):
            with pytest.raises(ConnectionRefusedError):
                await attempt

    world.run(main())
    assert len(world.server.requests) == 2


def limited(world: World, qps: float = 0.5, burst: int = 2) -> Client:
    world.server.script = lambda *_: Response(200, {})
    return Client(world.server, Throttle(qps, burst, world.server.clock))


def asked_at(world: World) -> list[float]:
    return [at for at, *_ in world.server.requests]


def test_requests_wait_for_tokens_and_siblings_have_their_own(world: World) -> None:
    client = limited(world)

    async def main() -> None:
        for _ in range(4):
            await client.resource("pods").list()
        for _ in range(3):
            await client.sibling().resource("pods").list()

    world.run(main())
    assert asked_at(world) == [0.0, 0.0, 2.0, 4.0, 4.0, 4.0, 4.0]


def test_a_rate_below_zero_is_no_limit(world: World) -> None:
    client = limited(world, qps=-1.0)

    async def main() -> None:
        for _ in range(4):
            await client.resource("pods").list()

    world.run(main())
    assert asked_at(world) == [0.0] * 4


def test_repetitions_take_tokens_too_and_watches_nothing_else(world: World) -> None:
    client = limited(world, burst=1)
    world.server.script = lambda *_: throttled("1")

    async def main() -> None:
        for _ in range(2):
            await client.watch("/api/v1/pods", {})

    world.run(main())
    # The first repetition has a token after a second, all others wait for theirs; the second watch starts at once.
    repeated = [1.0, *(1.0 + 2.0 * number for number in range(1, 10))]
    assert asked_at(world)[:11] == [0.0, *repeated]
    assert asked_at(world)[11] == repeated[-1]


def test_a_token_after_the_deadline_is_not_waited_for(world: World) -> None:
    client = limited(world, burst=1)

    async def main() -> None:
        bound = client.until(world.server.clock.now() + 3 * 10**9)
        await bound.resource("pods").list()
        await bound.resource("pods").list()
        with pytest.raises(TimeoutError, match="would exceed context deadline"):
            await bound.resource("pods").list()
        await client.resource("pods").list()
        with pytest.raises(TimeoutError, match="Wait returned an error: context deadline exceeded"):
            await bound.resource("pods").list()

    world.run(main())
    assert asked_at(world) == [0.0, 2.0, 4.0]


def test_paths_and_bodies(world: World) -> None:
    world.server.script = lambda *_: Response(200, {})
    replica_sets = world.client.resource("replicasets", "apps/v1")

    async def main() -> None:
        await replica_sets.update_status("ns", {"metadata": {"name": "rs"}})
        await replica_sets.patch("ns", "rs", {"a": 1}, subresource="scale")
        await replica_sets.delete("ns", "rs", {"preconditions": {"uid": "u"}})
        await world.client.resource("nodes").list()

    world.run(main())
    assert [(method, path, body) for _, method, path, _, body in world.server.requests] == [
        ("PUT", "/apis/apps/v1/namespaces/ns/replicasets/rs/status", {"metadata": {"name": "rs"}}),
        ("PATCH", "/apis/apps/v1/namespaces/ns/replicasets/rs/scale", {"a": 1}),
        (
            "DELETE",
            "/apis/apps/v1/namespaces/ns/replicasets/rs",
            {"kind": "DeleteOptions", "apiVersion": "apps/v1", "preconditions": {"uid": "u"}},
        ),
        ("GET", "/api/v1/nodes", None),
    ]


def refusal(world: World, answer: Response, method: str = "create") -> ApiError:
    world.server.script = lambda *_: answer
    pods = world.client.resource("pods")

    async def main() -> None:
        await (pods.create("default", pod("a")) if method == "create" else pods.get("default", "a"))

    with pytest.raises(ApiError) as caught:
        world.run(main())
    return caught.value


def test_the_text_of_an_error_is_its_message(world: World) -> None:
    causes = [{"reason": "NamespaceTerminating", "message": "going", "field": "metadata.namespace"}]
    error = refusal(world, status(403, "Forbidden", 'pods "a" is forbidden: no', causes))
    assert str(error) == error.message == 'pods "a" is forbidden: no'
    assert (error.status, error.reason) == (403, "Forbidden")
    assert has_status_cause(error, "NamespaceTerminating")
    assert not has_status_cause(error, "Other")


def test_replies_that_are_no_status_get_a_generic_error(world: World) -> None:
    error = refusal(world, Response(500, "boom\n"))
    assert str(error) == 'an error on the server ("boom") has prevented the request from succeeding (post pods)'
    assert error.reason == "InternalError"


def test_a_generic_error_names_the_object(world: World) -> None:
    error = refusal(world, Response(404, "no"), "get")
    assert str(error) == "the server could not find the requested resource (get pods a)"
    assert is_not_found(error)


def test_predicates_prefer_a_known_reason_over_the_code() -> None:
    already = ApiError({"code": 409, "reason": "AlreadyExists"})
    assert not is_conflict(already)
    assert is_conflict(ApiError({"code": 409, "reason": ""}))
    assert is_expired(ApiError({"code": 410, "reason": "Gone"}))
    assert is_too_many_requests(ApiError({"code": 429, "reason": "Whatever"}))
    assert not is_not_found(None)
    assert is_too_large_resource_version(
        ApiError({"code": 504, "reason": "Timeout", "message": "Too large resource version: 5, current: 3"})
    )

"""Discovery: client-go discovery/discovery_client.go and discovery/cached/memory/memcache.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.discovery import DiscoveryClient, Group, Resource
from lockstep_reference.machinery.discovery_cache import MemCacheClient
from lockstep_reference.machinery.transport import Response
from tests.machinery.discovery_documents import SERVED, answers, script
from tests.machinery.fake_server import status

if TYPE_CHECKING:
    from tests.machinery.fake_server import World

UNAVAILABLE = status(503, "ServiceUnavailable", "nobody is at home")


def paths(world: World) -> list[str]:
    return [path for _, _, path, _, _ in world.server.requests]


def cache(world: World, errors: list[str] | None = None) -> MemCacheClient:
    return MemCacheClient(DiscoveryClient(world.client), (errors if errors is not None else []).append)


def test_aggregated_discovery_takes_two_requests(world: World) -> None:
    world.server.script = script(answers(SERVED, aggregated=True))
    discovered = world.run(DiscoveryClient(world.client).groups_and_maybe_resources())
    assert paths(world) == ["/api", "/apis"]
    assert discovered.groups == (
        Group("", ("v1",), "v1"),
        Group("apps", ("v1",), "v1"),
        Group("example.com", ("v2", "v1"), "v2"),
    )
    assert discovered.resources["apps/v1"] == [
        Resource("deployments", "", "", "", "Deployment"),
        Resource("deployments/scale", "", "autoscaling", "v1", "Scale"),
        Resource("replicasets", "", "", "", "ReplicaSet"),
    ]


def test_legacy_discovery_asks_for_each_version(world: World) -> None:
    world.server.script = script(answers(SERVED, aggregated=False))
    discovered = world.run(cache(world).groups_and_resources())
    assert paths(world)[:2] == ["/api", "/apis"]
    assert sorted(paths(world)[2:]) == ["/api/v1", "/apis/apps/v1", "/apis/example.com/v1", "/apis/example.com/v2"]
    assert discovered.groups[-1] == Group("example.com", ("v2", "v1"), "v1")
    assert [one.name for one in discovered.resources["v1"]] == ["pods", "replicationcontrollers"]


def test_both_say_the_same_of_resources(world: World) -> None:
    async def main() -> tuple[Any, Any]:
        world.server.script = script(answers(SERVED, aggregated=True))
        first = await cache(world).groups_and_resources()
        world.server.script = script(answers(SERVED, aggregated=False))
        return first, await cache(world).groups_and_resources()

    first, second = world.run(main())
    assert {key: list(value) for key, value in first.resources.items()} == {
        key: list(value) for key, value in second.resources.items()
    }


def test_stale_versions_and_resources_without_a_kind_are_left_out(world: World) -> None:
    documents = answers(SERVED, aggregated=True)
    versions = documents["/apis"]["items"][1]["versions"]
    versions[0]["freshness"] = "Stale"
    del versions[1]["resources"][0]["responseKind"]
    world.server.script = script(documents)
    discovered = world.run(DiscoveryClient(world.client).groups_and_maybe_resources())
    assert discovered.groups[-1] == Group("example.com", ("v1",), "v1")
    assert discovered.resources["example.com/v1"] == [Resource("gadgets", "", "", "", "Gadget")]


def test_unchanged_documents_give_the_same_object(world: World) -> None:
    async def main() -> list[Any]:
        discovery = DiscoveryClient(world.client)
        world.server.script = script(answers(SERVED, aggregated=True))
        seen = [await discovery.groups_and_maybe_resources()]
        world.server.script = script(answers(SERVED, aggregated=True))
        seen.append(await discovery.groups_and_maybe_resources())
        world.server.script = script(answers({**SERVED, "batch/v1": {}}, aggregated=True))
        seen.append(await discovery.groups_and_maybe_resources())
        return seen

    first, second, third = world.run(main())
    assert first is second
    assert third.groups[-1].name == "batch"


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_a_refusal_is_not_looked_into(world: World, path: str) -> None:
    world.server.script = script({**answers(SERVED, aggregated=True), path: UNAVAILABLE})
    errors: list[str] = []
    with pytest.raises(ApiError) as caught:
        world.run(cache(world, errors).groups_and_resources())
    assert str(caught.value) == "the server is currently unable to handle the request"
    assert errors == [f"couldn't get current server API group list: {caught.value}"]


def test_a_server_may_have_no_core_group(world: World) -> None:
    documents = answers(SERVED, aggregated=True)
    del documents["/api"]
    world.server.script = script(documents)
    discovered = world.run(DiscoveryClient(world.client).server_groups())
    assert [group.name for group in discovered] == ["apps", "example.com"]


def test_resources_of_one_version(world: World) -> None:
    documents = answers(SERVED, aggregated=True)
    del documents["/api/v1"]
    documents["/apis/apps/v1"] = UNAVAILABLE
    world.server.script = script(documents)

    async def main() -> None:
        discovery = DiscoveryClient(world.client)
        found = await discovery.server_resources_for_group_version("example.com/v2")
        assert [one.name for one in found] == ["widgets", "widgets/scale"]
        assert await discovery.server_resources_for_group_version("v1") == ()
        with pytest.raises(ApiError, match="nobody is at home"):
            await discovery.server_resources_for_group_version("apps/v1")

    world.run(main())


class TestLegacyCache:
    """The cache keeps what it got, errors included."""

    def test_what_cannot_be_had_is_left_out_and_asked_for_again(self, world: World) -> None:
        documents = {**answers(SERVED, aggregated=False), "/apis/apps/v1": UNAVAILABLE}
        errors: list[str] = []
        world.server.script = script(documents)
        discovered = world.run(cache(world, errors).groups_and_resources())
        assert "apps/v1" not in discovered.resources
        assert paths(world).count("/apis/apps/v1") == 2
        assert errors == ["couldn't get resource list for apps/v1: nobody is at home"] * 2

    def test_a_version_that_is_not_there_is_not(self, world: World) -> None:
        documents = answers(SERVED, aggregated=False)
        del documents["/apis/apps/v1"]
        world.server.script = script(documents)
        discovered = world.run(cache(world).groups_and_resources())
        assert "apps/v1" not in discovered.resources
        assert paths(world).count("/apis/apps/v1") == 1

    def test_until_invalidated(self, world: World) -> None:
        async def main() -> None:
            cached = cache(world)
            for documents in (answers(SERVED, aggregated=False), answers({"v1": {}}, aggregated=False)):
                world.server.script = script(documents)
                resources = (await cached.groups_and_resources()).resources
                assert resources is not None
                assert "apps/v1" in resources
            cached.invalidate()
            resources = (await cached.groups_and_resources()).resources
            assert resources is not None
            assert "apps/v1" not in resources

        world.run(main())


def test_text_instead_of_a_status(world: World) -> None:
    world.server.script = lambda *_: Response(500, "oh  ", {"Content-Type": "text/plain"})
    with pytest.raises(ApiError) as caught:
        world.run(DiscoveryClient(world.client).server_groups())
    assert str(caught.value) == 'an error on the server ("oh") has prevented the request from succeeding'

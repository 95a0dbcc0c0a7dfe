"""The RESTMapper: client-go restmapper/discovery.go and what is below it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.discovery import DiscoveryClient
from lockstep_reference.machinery.discovery_cache import MemCacheClient
from lockstep_reference.machinery.restmapper import DeferredDiscoveryRESTMapper, NoMatchError
from tests.machinery.discovery_documents import SERVED, Served, answers, script
from tests.machinery.fake_server import status

if TYPE_CHECKING:
    from tests.machinery.fake_server import World


def mapper(world: World, served: Served = SERVED, *, aggregated: bool = True) -> DeferredDiscoveryRESTMapper:
    world.server.script = script(answers(served, aggregated=aggregated))
    return DeferredDiscoveryRESTMapper(MemCacheClient(DiscoveryClient(world.client), lambda _error: None), world.clock)


def discoveries(world: World) -> list[float]:
    return [at for at, _, path, _, _ in world.server.requests if path == "/apis"]


@pytest.mark.parametrize(
    ("group", "kind", "resources"),
    [
        ("apps", "Deployment", ["apps/v1, Resource=deployments"]),
        ("apps", "deployment", ["apps/v1, Resource=deployments"]),
        ("", "Pod", ["/v1, Resource=pods"]),
        ("example.com", "Widget", ["example.com/v2, Resource=widgets", "example.com/v1, Resource=widgets"]),
        ("example.com", "Gadget", ["example.com/v1, Resource=gadgets"]),
        ("apps", "DeploymentList", ["apps/v1, Resource=deploymentlists"]),
        ("apps", "List", ["apps/v1, Resource=lists"]),
    ],
)
def test_resources_of_a_kind(world: World, group: str, kind: str, resources: list[str]) -> None:
    found = world.run(mapper(world).rest_mappings(group, kind))
    assert [str(one) for one in found] == resources


@pytest.mark.parametrize(("group", "kind"), [("", "Deployment"), ("apps", "DEPLOYMENT"), ("apps.k8s.io", "Deployment")])
def test_unknown_kinds(world: World, group: str, kind: str) -> None:
    with pytest.raises(NoMatchError) as caught:
        world.run(mapper(world).rest_mappings(group, kind))
    assert str(caught.value) == f'no matches for kind "{kind}" in group "{group}"'


def test_the_preferred_version_of_a_kind(world: World) -> None:
    async def main() -> list[str]:
        kinds = [("example.com", "Widget"), ("example.com", "Gadget")]
        found = [
            str(await mapper(world, aggregated=aggregated).rest_mapping(*kinds[0])) for aggregated in (True, False)
        ]
        return [*found, str(await mapper(world).rest_mapping(*kinds[1]))]

    assert world.run(main()) == [
        "example.com/v2, Resource=widgets",  # the first one is preferred
        "example.com/v1, Resource=widgets",  # legacy documents say which one is
        "example.com/v1, Resource=gadgets",
    ]


@pytest.mark.parametrize(
    ("group", "resource", "found"),
    [
        ("apps", "deployments", "apps/v1, Resource=deployments"),
        ("apps", "deployment", "apps/v1, Resource=deployments"),
        ("app", "Deployments", "apps/v1, Resource=deployments"),
        ("", "deployments", "apps/v1, Resource=deployments"),
        ("example.com", "widgets", "example.com/v2, Resource=widgets"),
    ],
)
def test_the_preferred_version_of_a_resource(world: World, group: str, resource: str, found: str) -> None:
    assert str(world.run(mapper(world).resource_for(group, resource))) == found


@pytest.mark.parametrize(
    ("group", "resource", "error"),
    [
        ("apps", "widgets", "no matches for apps/, Resource=widgets"),
        ("", "", "a resource must be present, got: /, Resource="),
        ("a", "things", "a/, Resource=things matches multiple resources [a/v1, Resource=thing a/v1, Resource=things]"),
    ],
)
def test_unknown_resources(world: World, group: str, resource: str, error: str) -> None:
    served = {**SERVED, "a/v1": {"thing": "Things", "things": "Thing"}}
    with pytest.raises(NoMatchError) as caught:
        world.run(mapper(world, served).resource_for(group, resource))
    assert str(caught.value) == error


class TestResets:
    """What discovery says is kept for half a minute, whatever it says."""

    def test_every_thirty_seconds_at_first_use(self, world: World) -> None:
        async def main() -> None:
            deferred = mapper(world)
            for wait in (5, 20, 4.9, 0.1, 29, 100, 5):
                await world.sleep(wait)
                await deferred.rest_mappings("apps", "Deployment")

        world.run(main())
        assert discoveries(world) == [5.0, 30.0, 159.0]

    def test_a_miss_is_final_until_then(self, world: World) -> None:
        async def main() -> None:
            deferred = mapper(world, {"v1": {}})
            tables: tuple[dict[str, Any], ...] = ({"v1": {}}, SERVED)
            for served in tables:
                world.server.script = script(answers(served, aggregated=True))
                with pytest.raises(NoMatchError):
                    await deferred.rest_mappings("apps", "Deployment")
            await world.sleep(30)
            assert await deferred.rest_mappings("apps", "Deployment")

        world.run(main())

    def test_an_error_is_not_kept(self, world: World) -> None:
        async def main() -> None:
            deferred = mapper(world)
            world.server.script = lambda *_: status(503, "ServiceUnavailable")
            with pytest.raises(ApiError):
                await deferred.rest_mappings("apps", "Deployment")
            world.server.script = script(answers(SERVED, aggregated=True))
            assert await deferred.rest_mappings("apps", "Deployment")

        world.run(main())

    def test_callers_wait_for_one_discovery(self, world: World) -> None:
        async def main() -> None:
            deferred = mapper(world)
            await asyncio.gather(*(deferred.rest_mappings("apps", "Deployment") for _ in range(3)))

        world.run(main())
        assert len(discoveries(world)) == 1

    def test_a_reset_that_had_to_wait_comes_after_the_answer(self, world: World) -> None:
        seen: list[Any] = []

        async def main() -> None:
            deferred = mapper(world)
            serve, world.loop.serve_request = world.loop.serve_request, lambda: False
            asked = asyncio.ensure_future(deferred.rest_mappings("apps", "Deployment"))
            await world.sleep(31)
            world.loop.serve_request = serve
            seen.append(await asked)
            await deferred.rest_mappings("apps", "Deployment")
            await world.sleep(29)
            await deferred.rest_mappings("apps", "Deployment")
            await world.sleep(1)
            await deferred.rest_mappings("apps", "Deployment")

        world.run(main())
        assert seen
        assert discoveries(world) == [31.0, 31.0, 61.0]

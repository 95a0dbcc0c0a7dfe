"""The scale client: client-go scale/client.go and scale/util.go. Expected texts were asked of upstream's own code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.discovery import DiscoveryClient
from lockstep_reference.machinery.discovery_cache import MemCacheClient
from lockstep_reference.machinery.restmapper import DeferredDiscoveryRESTMapper
from lockstep_reference.machinery.scale import DiscoveryScaleKindResolver, Scale, ScaleClient, ScaleError
from lockstep_reference.machinery.transport import Response
from tests.machinery.discovery_documents import SERVED, answers, script
from tests.machinery.fake_server import status

if TYPE_CHECKING:
    from tests.machinery.fake_server import World

DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/web/scale"
WIDGET = "/apis/example.com/v2/namespaces/default/widgets/web/scale"
METADATA = {"name": "web", "namespace": "default", "uid": "1", "resourceVersion": "5"}
SCHEME = 'in scheme "pkg/runtime/scheme.go:111"'


def scale(version: str = "autoscaling/v1", kind: str = "Scale", spec: Any = None, **of_status: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "apiVersion": version,
        "metadata": METADATA,
        "spec": {"replicas": 3} if spec is None else spec,
        "status": {"replicas": 2, **of_status},
    }


def scales(world: World, documents: dict[str, Any]) -> ScaleClient:
    world.server.script = script({**answers(SERVED, aggregated=True), **documents})
    discovery = DiscoveryClient(world.client)
    mapper = DeferredDiscoveryRESTMapper(MemCacheClient(discovery, lambda _error: None), world.clock)
    return ScaleClient(world.client, mapper, DiscoveryScaleKindResolver(discovery))


def requests(world: World, method: str) -> list[tuple[str, Any]]:
    return [(path, body) for _, verb, path, _, body in world.server.requests if verb == method]


@pytest.mark.parametrize(
    ("document", "selector"),
    [
        (scale(selector="b=1,a in (y,x)"), "a in (x,y),b=1"),
        (scale(), ""),
        (scale("extensions/v1beta1", selector={"b": "1", "a": "2"}), "a=2,b=1"),
        (scale("apps/v1beta1", selector={"b": "1"}, targetSelector="a==2"), "a=2"),
        (scale("apps/v1beta2"), ""),
    ],
)
def test_every_kind_of_scale_becomes_one(world: World, document: Any, selector: str) -> None:
    found = world.run(scales(world, {DEPLOYMENT: document}).get("apps", "deployments", "default", "web"))
    assert found == Scale(METADATA, 3, 2, selector)


def test_what_is_left_out_is_zero(world: World) -> None:
    document = {"kind": "Scale", "apiVersion": "autoscaling/v1"}
    found = world.run(scales(world, {DEPLOYMENT: document}).get("apps", "deployments", "default", "web"))
    assert found == Scale({}, 0, 0, "")


NOT_CONVERTIBLE = "received an object from a /scale endpoint which was not convertible to autoscaling Scale: "


@pytest.mark.parametrize(
    ("document", "error"),
    [
        (
            scale(selector="a!=b"),
            f'{NOT_CONVERTIBLE}failed to parse target selector: "!=" is not a valid label selector operator',
        ),
        (
            scale(selector="a in (x"),
            (
                f'{NOT_CONVERTIBLE}failed to parse target selector: couldn\'t parse the selector string "a in (x": '
                "unable to parse requirement: found '', expected: ',' or ')'"
            ),
        ),
        (
            scale("extensions/v1beta1", selector={"a b": "c"}),
            f'{NOT_CONVERTIBLE}invalid label selector: key: Invalid value: "a b": name part must consist of',
        ),
        (scale("foo/v1"), f'no kind "Scale" is registered for version "foo/v1" {SCHEME}'),
        (scale(kind="Foo"), f'no kind "Foo" is registered for version "autoscaling/v1" {SCHEME}'),
    ],
)
def test_a_scale_that_makes_no_sense(world: World, document: Any, error: str) -> None:
    with pytest.raises(ScaleError) as caught:
        world.run(scales(world, {DEPLOYMENT: document}).get("apps", "deployments", "default", "web"))
    assert str(caught.value).startswith(error)


def test_refusals_name_the_resource_without_its_group(world: World) -> None:
    client = scales(world, {DEPLOYMENT: Response(404, "404 page not found", {})})
    with pytest.raises(ApiError) as caught:
        world.run(client.get("apps", "deployments", "default", "web"))
    assert str(caught.value) == "the server could not find the requested resource (get deployments web)"


def test_a_resource_that_discovery_does_not_know(world: World) -> None:
    with pytest.raises(ScaleError) as caught:
        world.run(scales(world, {}).get("apps", "things", "default", "web"))
    assert str(caught.value) == (
        "unable to get client for things.apps: unable to get full preferred group-version-resource for things.apps: "
        "no matches for apps/, Resource=things"
    )


class TestUpdate:
    """What is sent is what discovery says."""

    @pytest.mark.parametrize(
        ("replicas", "selector", "spec", "sent"),
        [
            (4, "a=b", {"replicas": 4}, {"replicas": 2, "selector": "a=b"}),
            (0, "", {}, {"replicas": 2}),
        ],
    )
    def test_as_autoscaling_v1(self, world: World, replicas: int, selector: str, spec: Any, sent: Any) -> None:
        client = scales(world, {DEPLOYMENT: scale()})
        world.run(client.update("apps", "deployments", "default", Scale(METADATA, replicas, 2, selector)))
        body = {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": METADATA, "spec": spec, "status": sent}
        assert requests(world, "PUT") == [(DEPLOYMENT, body)]

    @pytest.mark.parametrize(
        ("selector", "sent"),
        [
            ("a=b,c=d", {"selector": {"a": "b", "c": "d"}, "targetSelector": "a=b,c=d"}),
            ("a in (b)", {"targetSelector": "a in (b)"}),
            ("", {}),
        ],
    )
    def test_as_an_older_kind(self, world: World, selector: str, sent: Any) -> None:
        client = scales(world, {WIDGET: scale("apps/v1beta2")})
        world.run(client.update("example.com", "widgets", "default", Scale(METADATA, 4, 2, selector)))
        ((path, body),) = requests(world, "PUT")
        assert (path, body["apiVersion"], body["status"]) == (WIDGET, "apps/v1beta2", {"replicas": 2, **sent})

    def test_the_kind_is_asked_for_once(self, world: World) -> None:
        async def main() -> None:
            client = scales(world, {DEPLOYMENT: scale()})
            for _ in range(2):
                await client.update("apps", "deployments", "default", Scale(METADATA, 4, 2, ""))

        world.run(main())
        assert [path for path, _ in requests(world, "GET")] == ["/api", "/apis", "/apis/apps/v1"]

    @pytest.mark.parametrize(
        ("kind", "error"),
        [
            ("foo/v1", f'scheme.Scale is not suitable for converting to "foo/v1" {SCHEME}'),
            ("apps/v1", f'no kind "Scale" is registered for version "apps/v1" {SCHEME}'),
        ],
    )
    def test_into_an_unknown_kind(self, world: World, kind: str, error: str) -> None:
        served = {**SERVED, "apps/v1": {"deployments": "Deployment", "deployments/scale": kind}}
        client = scales(world, answers(served, aggregated=True))
        with pytest.raises(ScaleError) as caught:
            world.run(client.update("apps", "deployments", "default", Scale(METADATA, 4, 2, "")))
        assert str(caught.value) == f"could not convert scale update to external Scale: {error}"

    @pytest.mark.parametrize(
        ("document", "error"),
        [
            (
                answers({"apps/v1": {"deployments": "Deployment"}, "v1": {}}, aggregated=True)["/apis/apps/v1"],
                "could not find scale subresource for apps/v1, Resource=deployments in discovery information",
            ),
            (
                status(503, "ServiceUnavailable", "nobody is at home"),
                "unable to fetch discovery information for apps/v1, Resource=deployments: nobody is at home",
            ),
        ],
    )
    def test_without_discovery(self, world: World, document: Any, error: str) -> None:
        client = scales(world, {"/apis/apps/v1": document})
        with pytest.raises(ScaleError) as caught:
            world.run(client.update("apps", "deployments", "default", Scale(METADATA, 4, 2, "")))
        prefix = "could not find proper group-version for scale subresource of apps/v1, Resource=deployments"
        assert str(caught.value) == f"{prefix}: {error}"

    def test_without_a_name(self, world: World) -> None:
        with pytest.raises(ScaleError, match="resource name may not be empty"):
            world.run(scales(world, {}).update("apps", "deployments", "default", Scale({}, 4, 2, "")))

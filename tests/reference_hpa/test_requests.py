"""What pods request: replica_calculator.go, calculateRequests, and component-helpers' PodRequests."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.pod_facts import PodFacts
from lockstep_reference.hpa.requests import calculate_requests
from tests.reference_hpa.metrics_kit import container, pod

Wire = dict[str, Any]
WHOLE = {"requests": {"cpu": "3"}}


def sidecar(name: str, **requests: str) -> Wire:
    return {**container(name, **requests), "restartPolicy": "Always"}


def requests_of(one: Wire, container_name: str = "", resource: str = "cpu", *, gate: bool = True) -> int:
    return calculate_requests([PodFacts(one)], container_name, resource, pod_level_resources=gate)["web"]


def test_containers_and_sidecars_add_up_and_other_init_containers_do_not() -> None:
    init = [container("setup", cpu="8"), sidecar("proxy", cpu="100m")]
    assert requests_of(pod("web", container(cpu="1"), container("log", cpu="250m"), initContainers=init)) == 1350


def test_each_container_is_rounded_up() -> None:
    assert requests_of(pod("web", container(cpu="1u"), container("log", cpu="1u"))) == 2


def test_one_container() -> None:
    one = pod("web", container(cpu="1"), container("log"), initContainers=[sidecar("proxy", cpu="100m")])
    assert requests_of(one, "app") == 1000
    assert requests_of(one, "proxy") == 100


@pytest.mark.parametrize(
    ("one", "container_name", "resource", "message"),
    [
        (
            pod("web", container(cpu="1"), container("log", memory="1Mi")),
            "",
            "cpu",
            "missing request for cpu in container log of Pod web",
        ),
        (pod("web", container(cpu="1")), "app", "memory", "missing request for memory in container app of Pod web"),
        (pod("web", container()), "", "cpu", "missing request for cpu in container app of Pod web"),
        (pod("web", container(cpu="1")), "other", "cpu", "container other not found in Pod web"),
        (
            pod("web", container(cpu="1"), initContainers=[container("setup", cpu="1")]),
            "setup",
            "cpu",
            "container setup not found in Pod web",
        ),
        (
            pod("web", container(cpu="1"), resources=WHOLE),
            "",
            "memory",
            "missing pod-level request for memory in Pod web",
        ),
    ],
)
def test_requests_that_are_missing(one: Wire, container_name: str, resource: str, message: str) -> None:
    with pytest.raises(MetricsError) as caught:
        requests_of(one, container_name, resource)
    assert str(caught.value) == message


def test_no_container_with_that_name_but_requests_elsewhere() -> None:
    with pytest.raises(MetricsError, match="container x not found in Pod web"):
        requests_of(pod("web", container(cpu="1"), resources=WHOLE), "x")


def test_requests_of_the_whole_pod_come_before_those_of_containers() -> None:
    assert requests_of(pod("web", container(cpu="1"), resources=WHOLE)) == 3000
    assert requests_of(pod("web", container(cpu="1"), resources=WHOLE), "app") == 1000
    assert requests_of(pod("web", container(cpu="1"), resources=WHOLE), gate=False) == 1000


@pytest.mark.parametrize(
    "resources", [{}, {"requests": None}, {"requests": {"vendor.io/gpu": "1"}}, {"limits": {"cpu": "9"}}]
)
def test_what_is_no_request_for_the_whole_pod(resources: Wire) -> None:
    assert requests_of(pod("web", container(cpu="1"), resources=resources)) == 1000


def test_the_whole_pod_has_its_overhead() -> None:
    assert requests_of(pod("web", container(), resources=WHOLE, overhead={"cpu": "250m"})) == 3250


def test_a_resource_that_the_whole_pod_does_not_name_is_that_of_its_containers() -> None:
    init = [sidecar("proxy", memory="1Ki"), container("setup", memory="4Ki"), sidecar("late", memory="2Ki")]
    one = pod("web", container(memory="1Ki"), initContainers=init, resources=WHOLE)
    assert requests_of(one, resource="memory") == 5 * 1024 * 1000  # set-up, with the side-car before it
    big = pod("web", container(memory="9Ki"), initContainers=init, resources=WHOLE)
    assert requests_of(big, resource="memory") == 12 * 1024 * 1000  # all that runs afterwards


def test_huge_pages_can_be_requested_for_the_whole_pod() -> None:
    one = pod("web", container(cpu="1"), resources={"requests": {"hugepages-2Mi": "4Mi"}})
    assert requests_of(one, resource="hugepages-2Mi") == 4 * 2**20 * 1000
    assert requests_of(one) == 1000

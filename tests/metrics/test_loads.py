"""Load models: what pods use, by how many of them serve."""

from __future__ import annotations

from collections import Counter

import pytest

from lockstep.metrics import MetricsError, each, per_ready, ramp, shared, spike, steps
from lockstep.wire.quantity import parse_quantity
from lockstep.world import Lifecycle
from tests.metrics.kit import Metered, play


def total(texts: list[str]) -> float:
    return float(sum(parse_quantity(text).exact() for text in texts))


def test_a_demand_is_divided_by_the_pods_that_are_ready() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=(1, 1, 20, 999))
        town.metrics.load("web", cpu=shared(6, idle="10m"))
        town.web(4)
        await town.until(15)
        assert town.used() == ["10m", "10m", "3", "3"]
        await town.until(30)
        assert town.used() == ["10m", "2", "2", "2"]

    play(body)


def test_a_pod_that_is_being_deleted_gets_no_part() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=1, stop_after=None)
        town.metrics.load("web", cpu=shared(6))
        town.web(3)
        await town.until(16)
        town.delete(town.pick(0), gracePeriodSeconds=100)
        await town.until(30)
        assert town.used() == ["0", "3", "3"]

    play(body)


def test_a_demand_without_serving_pods_is_lost() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=None)
        town.metrics.load("web", cpu=shared(6))
        town.web(2)
        await town.until(15)
        assert town.used() == ["0", "0"]

    play(body)


def test_each_pod_uses_its_own_ready_or_not() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=(1, 999))
        town.metrics.load("web", cpu=each(steps((0, "500m"), (20, 1))), memory="200Mi")
        town.web(2)
        await town.until(15)
        assert (town.used(), town.used("memory")) == (["500m", "500m"], ["200Mi", "200Mi"])
        await town.until(30)
        assert town.used() == ["1", "1"]

    play(body)


def test_a_shared_amount_of_memory_is_cut_to_pages() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", memory=shared("100Mi"))
        town.web(3)
        await town.until(15)
        assert town.used("memory") == ["34132Ki"] * 3
        assert town.used() == ["0"] * 3

    play(body)


def test_no_pod_uses_more_than_its_limit() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=shared(ramp(0, 100, 0, 10), at_most="2"))
        town.web(2)
        await town.until(30)
        assert town.used() == ["1500m", "1500m"]
        await town.until(60)
        assert town.used() == ["2", "2"]

    play(body)


def test_a_limit_holds_for_uneven_parts_too() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=shared(6, at_most="1200m", noise=0.9))
        town.web(6)
        await town.until(15)
        found = town.used()
        assert "1200m" in found
        assert max(parse_quantity(text).exact() for text in found) == parse_quantity("1200m").exact()
        assert len(set(found)) > 2

    play(body)


def test_loads_add_up_by_container() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each("300m"), memory=each("100Mi"))  # the first one
        town.metrics.load({"tier": "front"}, cpu=each("200m"), container="app")
        town.metrics.load("web", cpu=each("20m"), container="proxy")
        town.metrics.load("web", cpu=each("5"), container="absent")
        town.web(1, ("app", "proxy", "quiet"), {"app": "web", "tier": "front"})
        town.web(1, ("app", "proxy", "quiet"))
        await town.until(15)
        (one, two) = sorted(town.entries(), key=lambda entry: entry["metadata"]["labels"].get("tier", ""))
        usage = [
            {"name": "app", "usage": {"cpu": "300m", "memory": "100Mi"}},
            {"name": "proxy", "usage": {"cpu": "20m", "memory": "0"}},
            {"name": "quiet", "usage": {"cpu": "0", "memory": "0"}},
        ]
        assert one["containers"] == usage
        assert two["containers"] == [{"name": "app", "usage": {"cpu": "500m", "memory": "100Mi"}}, *usage[1:]]

    play(body)


def test_pods_and_namespaces_are_distinguished() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.metrics.load("web", cpu=each(2), namespace="kube-system")
        town.web(1)
        town.web(1, labels={"app": "db"})
        town.send("POST", "/api/v1/namespaces/kube-system/pods", pod_in("kube-system"))
        await town.until(15)
        assert [town.used(selector=one) for one in ("app=web", "app=db", "")] == [["1"], [], ["1"]]
        assert [entry["metadata"]["namespace"] for entry in town.entries(namespace="kube-system")] == ["kube-system"]
        assert len(town.answer("/apis/metrics.k8s.io/v1beta1/pods")["items"]) == 2

    play(body)


def pod_in(namespace: str) -> dict[str, object]:
    spec = {"containers": [{"name": "main", "image": "pause"}]}
    return {"metadata": {"name": "other", "namespace": namespace, "labels": {"app": "web"}}, "spec": spec}


def test_start_up_costs_more_for_a_while() -> None:
    async def body(town: Metered) -> None:
        town.metrics.scrape(period=0)
        town.metrics.load("web", cpu=each("100m"), startup=spike("1500m", 40))
        town.metrics.load("web", cpu=each("10m"), startup=ramp(0, 20, 1, 0), container="proxy")
        town.web(1, ("app", "proxy"))
        found = []
        for time in (5, 39, 40):
            await town.until(time)
            found.append((town.used(container="app"), town.used(container="proxy")))
        assert found == [(["1600m"], ["760m"]), (["1600m"], ["10m"]), (["100m"], ["10m"])]

    play(body)


def test_start_up_counts_from_the_restart_of_a_container() -> None:
    async def body(town: Metered) -> None:
        town.metrics.scrape(period=0)
        town.metrics.load("web", cpu=each("100m"), startup=spike(1, 30))
        town.web(1)
        await town.until(50)
        assert town.used() == ["100m"]
        town.kubelet.restart(town.pick(0))
        await town.until(70)
        assert town.used() == ["1100m"]

    play(body)


def test_noise_is_a_multiset_that_changes_with_each_measurement() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1, noise=0.2, seed=3))
        town.web(6)
        await town.until(15)
        first = town.used()
        await town.until(29)
        assert town.used() == first
        await town.until(30)
        second = town.used()
        assert len({*first, *second}) == 12
        assert all(0.8 <= float(parse_quantity(text).exact()) < 1.2 for text in (*first, *second))

    play(body)


def test_an_uneven_demand_stays_what_it_is() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=shared(12, noise=0.5))
        town.web(5)
        await town.until(15)
        assert len(set(town.used())) == 5
        assert total(town.used()) == pytest.approx(12, abs=1e-6)

    play(body)


def test_usage_can_depend_on_the_number_of_ready_pods() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=(1, 1, 20))
        overhead = per_ready("web", lambda time, ready: 0.1 * ready + time / 1000)
        town.metrics.load("web", cpu=each(overhead))
        town.web(3)
        await town.until(15)
        assert town.used() == ["215m"] * 3
        await town.until(30)
        assert town.used() == ["330m"] * 3

    play(body)


def test_a_load_holds_from_when_it_was_said_until_it_is_stopped() -> None:
    async def body(town: Metered) -> None:
        town.web(1)
        await town.until(20)
        load = town.metrics.load("web", cpu=each(1))
        assert town.used() == []
        await town.until(30)
        assert town.used() == ["1"]
        load.stop()
        assert town.used() == ["1"]
        await town.until(45)
        assert town.used() == []

    play(body)


def test_nodes_show_what_their_pods_use() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each("100m"), memory=each("1Mi"))
        town.web(7)
        await town.until(15)
        listed = town.answer("/apis/metrics.k8s.io/v1beta1/nodes")
        assert (listed["kind"], listed["apiVersion"]) == ("NodeMetricsList", "metrics.k8s.io/v1beta1")
        assert [item["metadata"]["name"] for item in listed["items"]] == ["node-1", "node-2", "node-3"]
        usage = Counter((item["usage"]["cpu"], item["usage"]["memory"]) for item in listed["items"])
        assert usage == {("200m", "2Mi"): 2, ("300m", "3Mi"): 1}
        one = town.answer("/apis/metrics.k8s.io/v1beta1/nodes/node-2")
        assert (one["kind"], one["window"], one["timestamp"]) == ("NodeMetrics", "15s", "2000-01-01T00:00:16Z")
        named = town.answer("/apis/metrics.k8s.io/v1beta1/nodes", fieldSelector="metadata.name=node-3")
        assert [item["metadata"]["name"] for item in named["items"]] == ["node-3"]
        assert town.refused("/apis/metrics.k8s.io/v1beta1/nodes/node-9") == (404, 'nodes "node-9" not found')

    play(body)


@pytest.mark.parametrize("labels", [{}, {"app": 3}])
def test_pods_are_chosen_by_labels(labels: dict[str, str]) -> None:
    async def body(town: Metered) -> None:
        with pytest.raises(MetricsError, match="give at least one label"):
            town.metrics.load(labels, cpu=1)

    play(body)


def test_noise_is_a_part() -> None:
    with pytest.raises(MetricsError, match="between 0 and 1"):
        shared(1, noise=1.5)

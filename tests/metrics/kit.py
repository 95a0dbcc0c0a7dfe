"""A town whose pods are measured, and questions to its three metrics APIs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lockstep.apiserver import Reply, Request
from lockstep.metrics import Metrics
from lockstep.objects import container
from lockstep.time.loop import run
from lockstep.world import Lifecycle, pick
from tests.world.kit import Object, Town

RESOURCE = "/apis/metrics.k8s.io/v1beta1"
CUSTOM = "/apis/custom.metrics.k8s.io/v1beta2"
EXTERNAL = "/apis/external.metrics.k8s.io/v1beta1"


class Metered(Town):
    """`time` is seconds since the scenario began, one second after the world did."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.metrics = Metrics(self.server, self.world.memory.add)
        self.begin = 1.0
        # running at once and ready 1 s later, so that times in tests are those of the pods
        self.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=1)

    @property
    def time(self) -> float:
        return self.at - self.begin

    async def until(self, time: float) -> None:
        await self.sleep(time - self.time)

    def ask(self, path: str, **query: str) -> Reply:
        return self.server.handle(Request("GET", path, query))

    def answer(self, path: str, **query: str) -> Object:
        reply = self.ask(path, **query)
        assert reply.status == 200, reply.content
        assert reply.body is not None
        return reply.body

    def refused(self, path: str, **query: str) -> tuple[int, str]:
        """Code, and message or text."""
        reply = self.ask(path, **query)
        content = reply.content
        return reply.status, content if isinstance(content, str) else content["message"]

    def entries(self, selector: str = "app=web", namespace: str = "default") -> list[Object]:
        found = self.answer(f"{RESOURCE}/namespaces/{namespace}/pods", labelSelector=selector)["items"]
        assert isinstance(found, list)
        return found

    def used(self, resource: str = "cpu", container: str = "main", selector: str = "app=web") -> list[Any]:
        """The usage of one container in all pods that have metrics, as a multiset."""
        return sorted(
            one["usage"][resource]
            for entry in self.entries(selector)
            for one in entry["containers"]
            if one["name"] == container
        )

    def values(self, metric: str, selector: str = "app=web", **query: str) -> list[str]:
        """A pods metric, as a multiset."""
        path = f"{CUSTOM}/namespaces/default/pods/*/{metric}"
        return sorted(item["value"] for item in self.answer(path, labelSelector=selector, **query)["items"])

    def web(
        self, count: int = 1, containers: tuple[str, ...] = ("main",), labels: Mapping[str, str] | None = None
    ) -> None:
        """Create pods of one owner, labelled app: web."""
        owner = self.send_owner()
        specs = [container(name) for name in containers]
        self.pods_of(owner, count, labels=labels or {"app": "web"}, containers=specs)

    def send_owner(self) -> Object:
        found = self.server.find("replicasets.apps", "default", "web")
        return found or self.owner("web")

    def pick(self, position: int) -> Object:
        return pick(self.server.objects("pods"), position)


def play(body: Callable[[Metered], Awaitable[None]], seed: int = 0) -> None:
    """Run `body` in a new town, from the moment at which a scenario begins."""
    town = Metered(seed)

    async def main() -> None:
        town.world.start()
        await town.sleep(town.begin)
        town.metrics.begin()
        await body(town)

    run(town.loop, main())

"""Plays one run of the upstream ReplicaSet controller against the toy server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from lockstep.implementations.upstream.driver import BubbleDriver
from lockstep.implementations.upstream.process import UpstreamProcess
from lockstep.time.clock import seconds
from lockstep.time.loop import VirtualLoop, run
from tests.upstream.toy_server import ToyServer, replica_set


class Play:
    """A loop, a toy server and a driver that belong together."""

    def __init__(self, process: UpstreamProcess, **driver: Any) -> None:
        self.loop = VirtualLoop()
        self.server = ToyServer(self.loop)
        self.driver = BubbleDriver(process, self.server, **driver)
        self.driver.attach(self.loop)

    def run(self, body: Callable[[Play], Awaitable[None]], *, autostart: bool = True) -> Play:
        """Start the controller, play `body` from instant 1 s on, and end the run whatever happens."""

        async def main() -> None:
            if autostart:
                self.driver.start("replicaset")
            await self.loop.world_sleep(1)
            await body(self)

        try:
            run(self.loop, main())
        finally:
            self.driver.end()
        return self

    async def sleep(self, duration: float) -> None:
        await self.loop.world_sleep(duration)

    def create(self, replicas: int, name: str = "web") -> None:
        """The scenario creates a ReplicaSet."""
        self.server.create("replicasets", replica_set(replicas, name))

    def pods(self) -> list[str]:
        """Names of the pods there are, oldest first."""
        return [pod["metadata"]["name"] for pod in self.server.of("pods")]

    def posts(self) -> list[float]:
        """When pods were asked for, in seconds."""
        return [at / seconds(1) for at, method, path in self.server.log if method == "POST" and path.endswith("/pods")]


async def three_pods(play: Play) -> None:
    """The simplest body: one ReplicaSet of three, and a minute to do it."""
    play.create(3)
    await play.sleep(60)

"""Programs of a run: which there are, and what is said of one that ends by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lockstep.clusters.control_plane.processes import Process
from lockstep.clusters.real.gateway import Gateways
from lockstep.clusters.real.loop import RealLoop
from lockstep.clusters.real.programs import RunningPrograms
from lockstep.controllers.options import Options
from lockstep.serving.boxes import Inbox
from lockstep.time import loop as virtual


class FakeLauncher:
    """Starts a shell with `script` in place of any program."""

    def __init__(self, folder: Path, script: str) -> None:
        self.folder = folder
        self.script = script
        self.started: list[list[str]] = []

    def _start(self, names: list[str]) -> Process:
        self.started.append(names)
        label = f"program-{len(self.started)}"
        return Process(label, ["/bin/sh", "-c", self.script], self.folder / f"{label}.log")

    def manager(self, _: str, controllers: list[str], *__: Any) -> Process:
        return self._start(controllers)

    def autoscaler(self, name: str, *_: Any) -> Process:
        return self._start([name])

    def webhook(self, name: str, *_: Any) -> tuple[Process, None]:
        return self._start([name]), None


@pytest.fixture
def loop() -> Iterator[RealLoop]:
    gateways = Gateways()
    yield RealLoop(Inbox(), gateways)
    gateways.close()


def programs(launcher: FakeLauncher, loop: RealLoop) -> RunningPrograms:
    return RunningPrograms(launcher, loop, None, Options())  # type: ignore[arg-type]


def test_a_part_of_the_vpa_is_a_program_and_what_kubernetes_has_is_one(tmp_path: Path, loop: RealLoop) -> None:
    launcher = FakeLauncher(tmp_path, "sleep 60")
    running = programs(launcher, loop)

    async def main() -> None:
        for name in ("vpa-updater", "replicaset", "vpa-admission", "hpa"):
            running.start(name)
        await loop.world_sleep(0)
        running.end()

    virtual.run(loop, main())
    managed = ["replicaset-controller", "horizontal-pod-autoscaler-controller"]
    assert launcher.started == [["vpa-updater"], ["vpa-admission"], managed]
    assert running.failure is None


def test_a_program_that_ended_by_itself_is_a_failure_when_the_run_is_over_too(tmp_path: Path, loop: RealLoop) -> None:
    running = programs(FakeLauncher(tmp_path, "echo no such flag; exit 3"), loop)

    async def main() -> None:
        running.start("vpa-updater")
        while running.failure is None:
            await loop.world_sleep(0)
        running.end()

    virtual.run(loop, main())
    assert running.failure == "program-1 ended with code 3; its last words: no such flag"

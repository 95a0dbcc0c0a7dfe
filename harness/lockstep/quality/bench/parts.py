"""Figures of single parts: the API server, the loop, fuzzing, the command."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from lockstep.apiserver import ApiServer, Request
from lockstep.implementations.reference import MemoryTransport
from lockstep.network import Network
from lockstep.project.loading import load
from lockstep.quality.bench.figures import BenchFailed, Figure, at_least, at_most, medians
from lockstep.quality.bench.stores import measure as measure_server
from lockstep.quality.fuzz import fuzz
from lockstep.time import loop as virtual

if TYPE_CHECKING:
    from lockstep.quality.bench.sides import Sides

_GOOD_CODES = (0, 1)  # green, not green


def server(sides: Sides, pods: int = 30_000) -> list[Figure]:
    """Requests a second of the API server in this process, one watcher attached."""
    found = measure_server(pods)
    return [
        Figure(f"API server with {pods:,} pods, creates", found.creates_per_second, "a second", at_least(20_000)),
        Figure(f"API server with {pods:,} pods, gets", found.gets_per_second, "a second", at_least(50_000)),
        Figure(f"API server with {pods:,} pods, lists", found.lists_per_second, "a second"),
    ]


def steps(sides: Sides, count: int = 10_000) -> list[Figure]:
    """The cost of a world step, and of a controller's request, with hardly anything else going on."""
    step, request = medians(5, lambda: _take_steps(count), lambda: _make_requests(count))
    return [
        Figure("a world step", step / count * 1e6, "µs"),
        Figure("a request and its answer, reference", request / count * 1e6, "µs"),
    ]


def _take_steps(count: int) -> None:
    loop = virtual.VirtualLoop()

    async def sleep() -> None:
        for _ in range(count):
            await loop.world_sleep(1.0)

    virtual.run(loop, sleep())


def _make_requests(count: int) -> None:
    loop = virtual.VirtualLoop()
    api = ApiServer(lambda: loop.now)
    network = Network(loop, api)
    transport = MemoryTransport(loop, network, "bench")

    async def ask() -> None:
        for _ in range(count):
            await transport.request("GET", "/api/v1/namespaces/default")

    if api.handle(Request("GET", "/api/v1/namespaces/default")).status != 200:
        raise BenchFailed("the API server has no namespace `default`; report this as a defect of Lockstep")
    virtual.run(loop, ask())


def fuzzing(sides: Sides, cases: int = 300) -> list[Figure]:
    """Generated cases a second, each run on the reference and on live upstream, and compared."""
    return [*_fuzzing(sides, "replicaset", cases, 20), *_fuzzing(sides, "hpa", cases, 10)]


def _fuzzing(sides: Sides, controller: str, cases: int, target: float) -> list[Figure]:
    sides.progress(f"{cases} generated cases of {controller}")
    found = fuzz(controller, cases, seed=1, progress=sides.progress)
    return [
        Figure(f"fuzzing {controller}, {cases} cases", found.cases_per_second, "cases a second", at_least(target)),
        Figure("cases that had to be run in other orders", found.needed_variants, "cases"),
        Figure("differences found on the way", len(found.differences), "differences", at_most(0)),
    ]


def suite(sides: Sides) -> list[Figure]:
    """The whole command, start-up included, and what a pytest session without scenarios pays for the plugin.

    One scenario, the list, and the suite: by one process and by all processors.
    """
    one = load(["lockstep_conformance.replicaset.test_slow_start"])[0].id
    suite = ("run", "--suite", "--against", "recorded")
    first, listed = medians(5, lambda: _lockstep("run", "--suite", one), lambda: _lockstep("list", "--suite"))
    alone, together = medians(1, lambda: _lockstep(*suite, "--jobs", "1"), lambda: _lockstep(*suite))
    plugin = "import pytest, lockstep.pytest_plugin"
    bare, plugged = medians(5, lambda: _python("import pytest"), lambda: _python(plugin))
    faster = at_most(alone / 1.5) if (os.cpu_count() or 1) > 1 else None
    return [
        Figure("lockstep run, one scenario", first, "s", at_most(0.35)),
        Figure("lockstep list", listed, "s", at_most(0.3)),
        Figure("lockstep run, the suite, one process", alone, "s"),
        Figure("lockstep run, the suite, all processors", together, "s", faster),
        Figure("the plugin in a session without scenarios", (plugged - bare) * 1000, "ms", at_most(20)),
    ]


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - ourselves


def _lockstep(*arguments: str) -> None:
    command = [sys.executable, "-m", "lockstep.cli", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
    if ended.returncode not in _GOOD_CODES:
        raise BenchFailed(
            f"`lockstep {arguments[0]}` ended with code {ended.returncode}: {ended.stderr.strip()[-200:]}"
        )

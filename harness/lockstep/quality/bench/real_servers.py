"""The in-memory API server compared with the real one: requests, watches, memory, and start-up time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from lockstep.quality.bench.figures import Figure, at_least, best, seconds_of
from lockstep.quality.bench.servers import Server, control_plane, in_process, over_http
from lockstep.quality.bench.stored import bytes_per_pod
from lockstep.quality.bench.traffic import REQUESTS, life_of_pods
from lockstep.quality.bench.watchers import events_per_second

if TYPE_CHECKING:
    from lockstep.quality.bench.sides import Sides

_FASTER = {"in-process": 20.0, "over HTTP": 3.0}


def compare_servers(
    sides: Sides, slice_seconds: float = 0.2, rounds: int = 20, watchers: int = 100, seen: int = 50, kept: int = 3000
) -> list[Figure]:
    """All figures that need a real control plane."""
    with ExitStack() as opened:
        sides.progress("starting three API servers")
        real = opened.enter_context(control_plane(sides.progress))
        servers = [opened.enter_context(in_process()), opened.enter_context(over_http()), real]
        figures = [
            *_requests(sides, servers, slice_seconds, rounds),
            *_watches(sides, servers, watchers, seen),
            *(Figure(f"start-up, {one.name}", one.started, "s") for one in servers),
        ]
    return figures + _memory(sides, kept)


def _requests(sides: Sides, servers: Sequence[Server], slice_seconds: float, rounds: int) -> list[Figure]:
    """Requests in slices that take each server the same time, so that disturbances are equally likely for all."""
    sides.progress("requests through the official client, the servers taking turns")
    counts = [_pods_in(one, slice_seconds) for one in servers]
    times = best(rounds, *(life_of_pods(one, count) for one, count in zip(servers, counts, strict=True)))
    speeds = [count * REQUESTS / seconds for count, seconds in zip(counts, times, strict=True)]
    figures = [
        Figure(f"requests, official client, {one.name}", speed, "a second")
        for one, speed in zip(servers, speeds, strict=True)
    ]
    faster = [
        Figure(f"the same, {one.name} to kube-apiserver", speed / speeds[-1], "times", at_least(_FASTER[one.name]))
        for one, speed in zip(servers[:-1], speeds[:-1], strict=True)
    ]
    return figures + faster


def _pods_in(one: Server, seconds: float) -> int:
    """Roughly how many pods can be created and deleted in `seconds`."""
    few = life_of_pods(one, 5)
    few()  # connections are made, caches filled
    return max(1, round(5 * seconds / seconds_of(few)))


def _watches(sides: Sides, servers: Sequence[Server], watchers: int, seen: int) -> list[Figure]:
    figures = []
    for one in servers:
        sides.progress(f"{watchers} watchers, {one.name}")
        speed = events_per_second(one, watchers, seen)
        figures.append(Figure(f"events to {watchers} watchers, {one.name}", speed, "a second"))
    return figures


def _memory(sides: Sides, kept: int) -> list[Figure]:
    """Memory of new servers, since a used one would reuse freed memory before it takes more."""
    figures = []
    for open_it in (in_process, over_http, partial(control_plane, sides.progress)):
        with open_it() as one:
            sides.progress(f"memory of {kept:,} stored pods, {one.name}")
            figures.append(Figure(f"memory of a stored pod, {one.name}", bytes_per_pod(one, kept) / 1024, "KiB"))
    return figures

"""What a stored pod costs in memory, on each API server."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import tracemalloc

import aiohttp

from lockstep.apiserver import Request
from lockstep.quality.bench.figures import BenchFailed
from lockstep.quality.bench.servers import Ground
from lockstep.quality.bench.traffic import NAMESPACE, named_pod

_PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
_AT_ONCE = 8


def bytes_per_pod(ground: Ground, pods: int, warm_up: int = 200) -> float:
    """Growth of memory divided by the pods that were stored meanwhile.

    In this process, memory that Python's allocator gave out; elsewhere, resident memory of all processes, which the
    garbage collector of Go lets grow ahead of need.
    """
    memory = _resident if ground.server is None else _allocated
    tracemalloc.start()
    try:
        _store(ground, "warm", warm_up)
        before = memory(ground)
        _store(ground, "kept", pods)
        return (memory(ground) - before) / pods
    finally:
        tracemalloc.stop()


def _store(ground: Ground, name: str, pods: int) -> None:
    if ground.server is None:
        asyncio.run(_post(ground, name, pods))
        return
    for number in range(pods):
        ground.server.handle(Request("POST", _PODS, body=named_pod(f"{name}-{number}")))


async def _post(ground: Ground, name: str, pods: int) -> None:
    left = iter(range(pods))
    connections = aiohttp.TCPConnector(ssl=ground.tls if ground.tls is not None else True)
    async with aiohttp.ClientSession(ground.url, connector=connections) as session:

        async def work() -> None:
            for number in left:
                async with session.post(_PODS, json=named_pod(f"{name}-{number}")) as made:
                    await made.read()
                    if made.status != 201:
                        raise BenchFailed(f"{ground.name} refuses a pod with {made.status}")

        await asyncio.gather(*(work() for _ in range(_AT_ONCE)))


def _allocated(_: Ground) -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def _resident(ground: Ground) -> int:
    total = 0
    for pid in ground.pids:
        told = subprocess.run(  # noqa: S603 - ps of POSIX
            ["ps", "-o", "rss=", "-p", str(pid)],  # noqa: S607 - wherever it is
            capture_output=True,
            text=True,
            check=False,
        )
        if not told.stdout.strip():
            raise BenchFailed(f"`ps` knows no process {pid} of {ground.name}, so its memory cannot be told")
        total += int(told.stdout) * 1024
    return total

"""What a stored pod costs in memory, on each API server."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import tracemalloc

import aiohttp

from lockstep.apiserver import Request
from lockstep.quality.bench.figures import BenchFailed
from lockstep.quality.bench.servers import Server
from lockstep.quality.bench.traffic import NAMESPACE, named_pod

_PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
_AT_ONCE = 8


def bytes_per_pod(one: Server, pods: int, warm_up: int = 200) -> float:
    """Growth of memory, divided by the number of pods stored meanwhile.

    For the server in this process, memory from Python's allocator. For the others, resident memory of all processes,
    which Go's garbage collector lets grow ahead of need.
    """
    memory = _resident if one.server is None else _allocated
    tracemalloc.start()
    try:
        _store(one, "warm", warm_up)
        before = memory(one)
        _store(one, "kept", pods)
        return (memory(one) - before) / pods
    finally:
        tracemalloc.stop()


def _store(one: Server, name: str, pods: int) -> None:
    if one.server is None:
        asyncio.run(_post(one, name, pods))
        return
    for number in range(pods):
        one.server.handle(Request("POST", _PODS, body=named_pod(f"{name}-{number}")))


async def _post(one: Server, name: str, pods: int) -> None:
    left = iter(range(pods))
    connections = aiohttp.TCPConnector(ssl=one.tls if one.tls is not None else True)
    async with aiohttp.ClientSession(one.url, connector=connections) as session:

        async def work() -> None:
            for number in left:
                async with session.post(_PODS, json=named_pod(f"{name}-{number}")) as made:
                    await made.read()
                    if made.status != 201:
                        raise BenchFailed(f"{one.name} refuses a pod with {made.status}")

        await asyncio.gather(*(work() for _ in range(_AT_ONCE)))


def _allocated(_: Server) -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def _resident(one: Server) -> int:
    total = 0
    for pid in one.pids:
        listed = subprocess.run(  # noqa: S603 - ps of POSIX
            ["ps", "-o", "rss=", "-p", str(pid)],  # noqa: S607 - wherever it is
            capture_output=True,
            text=True,
            check=False,
        )
        if not listed.stdout.strip():
            raise BenchFailed(f"`ps` knows no process {pid} of {one.name}, so its memory cannot be measured")
        total += int(listed.stdout) * 1024
    return total

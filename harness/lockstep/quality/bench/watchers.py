"""One change and a hundred readers: how many events per second all of them get, on each API server."""

from __future__ import annotations

import asyncio
import time

import aiohttp

from lockstep.apiserver import ApiServer, Request
from lockstep.quality.bench.figures import BenchFailed
from lockstep.quality.bench.servers import Server
from lockstep.quality.bench.traffic import NAMESPACE, named_pod

_PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
_PATIENCE = 60.0


def events_per_second(one: Server, watchers: int, pods: int) -> float:
    """Create pods, one after the other, until each watcher has seen each. Returns the events delivered per second."""
    if one.server is not None:
        seconds = _in_process(one.server, watchers, pods)
    else:
        seconds = asyncio.run(_over_http(one, watchers, pods))
    return watchers * pods / seconds


def _in_process(server: ApiServer, watchers: int, pods: int) -> float:
    watches = [server.handle(Request("GET", _PODS, {"watch": "true"})).watch for _ in range(watchers)]
    received = 0
    began = time.perf_counter()
    for number in range(pods):
        server.handle(Request("POST", _PODS, body=named_pod(f"seen-{number}")))
        for watch in watches:
            assert watch is not None
            received += len(watch.take())
    seconds = time.perf_counter() - began
    for watch in watches:
        assert watch is not None
        watch.stop()
    _check(received, watchers * pods)
    return seconds


async def _over_http(one: Server, watchers: int, pods: int) -> float:
    connections = aiohttp.TCPConnector(limit=0, ssl=one.tls if one.tls is not None else True)
    async with aiohttp.ClientSession(one.url, connector=connections) as session:
        async with session.get(_PODS, params={"limit": "1"}) as answer:
            version = (await answer.json())["metadata"]["resourceVersion"]
        watching = {"watch": "true", "resourceVersion": version, "timeoutSeconds": "300"}
        answers = await asyncio.gather(*(session.get(_PODS, params=watching) for _ in range(watchers)))
        began = time.perf_counter()
        readers = [asyncio.create_task(_lines(answer, pods)) for answer in answers]
        for number in range(pods):
            async with session.post(_PODS, json=named_pod(f"seen-{number}")) as made:
                if made.status != 201:
                    raise BenchFailed(f"{one.name} refuses a pod: {made.status} {(await made.text())[:200]}")
        received = await asyncio.wait_for(asyncio.gather(*readers), _PATIENCE)
        seconds = time.perf_counter() - began
        for answer in answers:
            _hang_up(answer)
        await asyncio.sleep(0)  # the transports close in the loop's next turn
    _check(sum(received), watchers * pods)
    return seconds


def _hang_up(answer: aiohttp.ClientResponse) -> None:
    """End a watch at once: an orderly end of TLS would take longer than the loop runs."""
    connection = answer.connection
    if connection is not None and connection.transport is not None:
        connection.transport.abort()
    answer.close()


async def _lines(answer: aiohttp.ClientResponse, wanted: int) -> int:
    received = 0
    async for chunk in answer.content.iter_any():
        received += chunk.count(b"\n")
        if received >= wanted:
            break
    return received


def _check(received: int, wanted: int) -> None:
    if received != wanted:
        raise BenchFailed(f"watchers received {received} events of {wanted}; report this as a defect of Lockstep")

"""Watches over HTTP: what arrives, in which order, and how they end."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import aiohttp
import pytest

from lockstep.serving.background import KubeApi
from lockstep.serving.simulation import Setup

pytestmark = pytest.mark.kube_api(clock="manual", kubelet=False)
_MAPS = "/api/v1/namespaces/default/configmaps"


def test_the_headers_come_before_the_first_event_and_the_watch_ends_in_time(kube_api: KubeApi) -> None:
    async def look() -> tuple[int, float, bytes]:
        async with aiohttp.ClientSession(kube_api.url) as session:
            began = time.monotonic()
            async with session.get(_MAPS, params={"watch": "true", "timeoutSeconds": "1"}) as answer:
                headers_after = time.monotonic() - began
                return answer.status, headers_after, await answer.read()

    status, headers_after, body = asyncio.run(look())
    assert (status, body) == (200, b"")
    assert headers_after < 1


def test_a_watch_of_a_gone_version_says_so_and_ends(kube_api: KubeApi) -> None:
    kube_api._service.simulation.compact()  # type: ignore[union-attr]
    kube_api.request("POST", _MAPS, {"metadata": {"name": "one"}})
    kube_api._service.simulation.compact()  # type: ignore[union-attr]
    kube_api._service.simulation.compact()  # type: ignore[union-attr]

    async def look() -> list[dict[str, object]]:
        query = {"watch": "true", "resourceVersion": "1"}
        async with aiohttp.ClientSession(kube_api.url) as session, session.get(_MAPS, params=query) as answer:
            return [json.loads(line) async for line in answer.content]

    events = asyncio.run(look())
    assert [event["type"] for event in events] == ["ERROR"]
    assert events[0]["object"]["code"] == 410  # type: ignore[index]


def test_a_table_watch_sends_a_row_an_event(kube_api: KubeApi) -> None:
    kube_api.request("POST", _MAPS, {"metadata": {"name": "one"}})

    async def look() -> dict[str, object]:
        async with aiohttp.ClientSession(kube_api.url) as session:
            headers = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
            async with session.get(_MAPS, params={"watch": "true"}, headers=headers) as answer:
                return json.loads(await answer.content.readline())  # type: ignore[no-any-return]

    event = asyncio.run(look())
    assert event["object"]["rows"][0]["cells"][0] == "one"  # type: ignore[index]


def test_the_end_of_the_server_ends_its_watches(tmp_path: Path) -> None:
    with KubeApi(tmp_path, Setup(clock="manual", kubelet=False)) as api:

        async def look() -> tuple[bytes, float]:
            async with aiohttp.ClientSession(api.url) as session, session.get(_MAPS, params={"watch": "1"}) as answer:
                began = time.monotonic()
                service = api._service
                assert service is not None
                stopping = asyncio.run_coroutine_threadsafe(service.stop(), api._loop)
                rest = await answer.read()
                await asyncio.wrap_future(stopping)
                return rest, time.monotonic() - began

        rest, took = asyncio.run(look())
        api._service = None
        api._end_loop()
    assert rest == b""
    assert took < 10


def test_many_clients_see_every_event_in_one_order(kube_api: KubeApi) -> None:
    writers, watchers, each = 20, 30, 25

    async def watch(session: aiohttp.ClientSession) -> list[tuple[str, str, int]]:
        seen: list[tuple[str, str, int]] = []
        async with session.get(_MAPS, params={"watch": "true", "resourceVersion": "0"}) as answer:
            async for line in answer.content:
                event = json.loads(line)
                metadata = event["object"]["metadata"]
                seen.append((event["type"], metadata["name"], int(metadata["resourceVersion"])))
                if len(seen) == 2 * writers * each:
                    break
        return seen

    async def write(session: aiohttp.ClientSession, number: int) -> None:
        for count in range(each):
            name = f"map-{number}-{count}"
            async with session.post(_MAPS, json={"metadata": {"name": name}}) as made:
                assert made.status == 201
            async with session.delete(f"{_MAPS}/{name}") as gone:
                assert gone.status == 200

    async def play() -> list[list[tuple[str, str, int]]]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(kube_api.url, connector=connector) as session:
            watching = [asyncio.create_task(watch(session)) for _ in range(watchers)]
            await asyncio.sleep(0.5)
            await asyncio.gather(*(write(session, number) for number in range(writers)))
            return await asyncio.wait_for(asyncio.gather(*watching), 60)

    seen = asyncio.run(play())
    assert all(one == seen[0] for one in seen)
    versions = [version for _, _, version in seen[0]]
    assert versions == sorted(set(versions))
    assert {name for kind, name, _ in seen[0] if kind == "ADDED"} == {
        f"map-{number}-{count}" for number in range(writers) for count in range(each)
    }
    server = kube_api._service.simulation.server  # type: ignore[union-attr]
    deadline = time.monotonic() + 10
    while server.state.collection("configmaps")._watches and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not server.state.collection("configmaps")._watches

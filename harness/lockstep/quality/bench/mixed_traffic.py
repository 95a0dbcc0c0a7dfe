"""Mixed traffic of many clients against an API server over HTTP, and a check that every watch reported what happened.

Clients write, read, list, apply and scale; meanwhile watchers follow collections and parts of them: some without pause,
some that disconnect and resume, some that are slow. At the end, each watch is compared with the server's own history:
the same watch from the same version, opened once nothing changes any more. Draws depend on the seed only.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import orjson

_NAMESPACES = 5
_MAPS, _SETS = "configmaps", "replicasets"
_ALL_MAPS, _PODS = "/api/v1/configmaps", "/api/v1/pods"
#: The collections that are watched: paths and queries.
FOLLOWED: Sequence[tuple[str, dict[str, str]]] = (
    (_ALL_MAPS, {}),
    ("/api/v1/namespaces/load-1/configmaps", {}),
    (_ALL_MAPS, {"labelSelector": "tier=front"}),
    (_ALL_MAPS, {"labelSelector": "tier notin (front),tier"}),
    (_ALL_MAPS, {"fieldSelector": "metadata.namespace=load-2"}),
    ("/apis/apps/v1/replicasets", {}),
    (_PODS, {}),
    (_PODS, {"fieldSelector": "status.phase=Running"}),
)
#: Refusals that are normal in such traffic: another client was faster.
_EXPECTED = frozenset({200, 201, 404, 409})
#: Seconds without a change after which all is quiet, and seconds to wait for that and for the last events.
_QUIET, _PATIENCE = 2.0, 60.0
_MERGE, _APPLY = "application/merge-patch+json", "application/apply-patch+yaml"

#: Type, namespace, name and version.
Event = tuple[str, str, str, str]


@dataclass(slots=True)
class Outcome:
    """The result. `faults`: everything that should not have happened, in words; empty if there is none."""

    seconds: float = 0.0
    requests: int = 0
    events: int = 0
    watches: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Follower:
    """One watcher. `resumes`: it disconnects now and then, and resumes from the last version it saw."""

    path: str
    query: dict[str, str]
    start: str
    resumes: bool
    slow: bool
    seen: list[Event] = field(default_factory=list)

    async def follow(self, session: aiohttp.ClientSession, outcome: Outcome) -> None:
        version = self.start
        while True:
            query = {**self.query, "watch": "true", "resourceVersion": version}
            if self.resumes:
                query["timeoutSeconds"] = "1"
            outcome.watches += 1
            async with session.get(self.path, params=query) as answer:
                async for line in answer.content:
                    event = _event(line)
                    self.seen.append(event)
                    version = event[3]
                    if self.slow:
                        await asyncio.sleep(0.01)
            if not self.resumes:
                outcome.faults.append(f"the watch of {self.path} {self.query} has ended by itself")
                return


async def play(url: str, *, clients: int = 50, watchers: int = 24, seconds: float = 120.0, seed: int = 0) -> Outcome:
    """Run the clients for some seconds, then check every watch. Raises aiohttp.ClientError if the server does not
    answer.
    """
    outcome = Outcome()
    connector, timeout = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(url, connector=connector, timeout=timeout, read_bufsize=2**20) as session:
        for number in range(_NAMESPACES):
            await _ask(session, outcome, "POST", "/api/v1/namespaces", {"metadata": {"name": f"load-{number}"}})
        followers = [await _follower(session, number) for number in range(watchers)]
        watching = [asyncio.create_task(one.follow(session, outcome)) for one in followers]
        began = time.monotonic()
        await asyncio.gather(
            *(_client(session, outcome, random.Random(f"{seed}/{n}"), began + seconds, n) for n in range(clients))
        )
        outcome.seconds = time.monotonic() - began
        await _clean_up(session, outcome)
        await _quiet(session, outcome)
        await asyncio.gather(*(_judge(session, outcome, one) for one in followers))
        for task in watching:
            task.cancel()
        for ended in await asyncio.gather(*watching, return_exceptions=True):
            if isinstance(ended, Exception):
                outcome.faults.append(f"a watcher failed: {ended!r}")
    outcome.events = sum(len(one.seen) for one in followers)
    return outcome


async def _follower(session: aiohttp.ClientSession, number: int) -> _Follower:
    path, query = FOLLOWED[number % len(FOLLOWED)]
    async with session.get(path, params={**query, "limit": "1"}) as answer:
        start = (await answer.json())["metadata"]["resourceVersion"]
    turn = number // len(FOLLOWED)
    return _Follower(path, query, start, resumes=turn % 3 == 1, slow=turn % 3 == 2)


async def _client(
    session: aiohttp.ClientSession, outcome: Outcome, draw: random.Random, end: float, number: int
) -> None:
    while time.monotonic() < end:
        namespace = f"load-{draw.randrange(_NAMESPACES)}"
        if number % 5 == 0:
            await _with_sets(session, outcome, draw, namespace)
        else:
            await _with_maps(session, outcome, draw, namespace)
        await asyncio.sleep(draw.random() * 0.02)


async def _with_maps(session: aiohttp.ClientSession, outcome: Outcome, draw: random.Random, namespace: str) -> None:
    root = f"/api/v1/namespaces/{namespace}/{_MAPS}"
    name = f"map-{draw.randrange(40)}"
    labels = {"tier": draw.choice(("front", "back"))}
    body = {"metadata": {"name": name, "labels": labels}, "data": {"value": "x" * draw.randrange(400)}}
    deed = draw.choice(("create", "create", "patch", "patch", "apply", "replace", "delete", "get", "list", "pages"))
    if deed == "create":
        await _ask(session, outcome, "POST", root, body)
    elif deed == "patch":
        await _ask(session, outcome, "PATCH", f"{root}/{name}", {"metadata": {"labels": labels}}, _MERGE)
    elif deed == "apply":
        applied = {**body, "apiVersion": "v1", "kind": "ConfigMap"}
        await _ask(session, outcome, "PATCH", f"{root}/{name}?fieldManager=load&force=true", applied, _APPLY)
    elif deed == "replace":
        there = await _ask(session, outcome, "GET", f"{root}/{name}")
        if "data" in there:
            await _ask(session, outcome, "PUT", f"{root}/{name}", {**there, "data": body["data"]})
    elif deed == "delete":
        await _ask(session, outcome, "DELETE", f"{root}/{name}")
    elif deed == "pages":
        await _all_pages(session, outcome, root)
    else:
        await _ask(session, outcome, "GET", root if deed == "list" else f"{root}/{name}")


async def _all_pages(session: aiohttp.ClientSession, outcome: Outcome, root: str) -> None:
    names: list[str] = []
    token = ""
    while True:
        page = await _ask(session, outcome, "GET", f"{root}?limit=7&continue={token}")
        names += [one["metadata"]["name"] for one in page.get("items", ())]
        token = (page.get("metadata") or {}).get("continue", "")
        if not token:
            break
    if names != sorted(set(names)):
        outcome.faults.append(f"the pages of {root} have objects twice or in disorder: {names}")


async def _with_sets(session: aiohttp.ClientSession, outcome: Outcome, draw: random.Random, namespace: str) -> None:
    root = f"/apis/apps/v1/namespaces/{namespace}/{_SETS}"
    name = f"set-{draw.randrange(4)}"
    deed = draw.choice(("create", "scale", "scale", "delete", "get"))
    if deed == "create":
        labels = {"app": name}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "load"}]}}
        spec = {"replicas": draw.randrange(3), "selector": {"matchLabels": labels}, "template": template}
        await _ask(session, outcome, "POST", root, {"metadata": {"name": name}, "spec": spec})
    elif deed == "scale":
        await _ask(session, outcome, "PATCH", f"{root}/{name}/scale", {"spec": {"replicas": draw.randrange(4)}}, _MERGE)
    elif deed == "delete":
        await _ask(
            session,
            outcome,
            "DELETE",
            f"{root}/{name}",
            {"propagationPolicy": draw.choice(("Background", "Foreground"))},
        )
    else:
        await _ask(session, outcome, "GET", f"{root}/{name}")
    await asyncio.sleep(draw.random() * 0.2)


async def _ask(
    session: aiohttp.ClientSession,
    outcome: Outcome,
    method: str,
    path: str,
    body: Any = None,
    media: str = "application/json",
) -> dict[str, Any]:
    data = None if body is None else orjson.dumps(body)
    async with session.request(method, path, data=data, headers={"Content-Type": media}) as answer:
        found: dict[str, Any] = orjson.loads(await answer.read())
        outcome.requests += 1
        outcome.codes[answer.status] += 1
        if answer.status not in _EXPECTED:
            outcome.faults.append(f"{method} {path}: {answer.status} {found.get('message')}")
        return found


async def _clean_up(session: aiohttp.ClientSession, outcome: Outcome) -> None:
    for number in range(_NAMESPACES):
        for place in (f"/apis/apps/v1/namespaces/load-{number}/{_SETS}", f"/api/v1/namespaces/load-{number}/{_MAPS}"):
            await _ask(session, outcome, "DELETE", place)


async def _quiet(session: aiohttp.ClientSession, outcome: Outcome) -> None:
    """Wait until all pods are gone and the watched collections no longer change."""
    deadline = time.monotonic() + _PATIENCE
    before: list[str] = []
    since = time.monotonic()
    while time.monotonic() < since + _QUIET:
        await asyncio.sleep(0.2)
        pods = await _ask(session, outcome, "GET", _PODS)
        now = [one["metadata"]["resourceVersion"] for one in pods["items"]]
        if now != before or now:
            before, since = now, time.monotonic()
        if time.monotonic() > deadline:
            outcome.faults.append(f"{len(now)} pods are still there {_PATIENCE:g} s after their owners were deleted")
            return


async def _judge(session: aiohttp.ClientSession, outcome: Outcome, one: _Follower) -> None:
    query = {**one.query, "watch": "true", "resourceVersion": one.start, "timeoutSeconds": "1"}
    async with session.get(one.path, params=query) as answer:
        history = [_event(line) async for line in answer.content]
    deadline = time.monotonic() + _PATIENCE
    while len(one.seen) < len(history) and time.monotonic() < deadline:  # noqa: ASYNC110 - another task adds to it
        await asyncio.sleep(0.05)
    if one.seen != history:
        pairs = zip(one.seen, history, strict=False)
        at = next((n for n, (seen, listed) in enumerate(pairs) if seen != listed), min(len(one.seen), len(history)))
        outcome.faults.append(
            f"the watch of {one.path} {one.query} from {one.start} saw {len(one.seen)} events of {len(history)}; "
            f"at {at}: {one.seen[at : at + 2]} instead of {history[at : at + 2]}"
        )


def _event(line: bytes) -> Event:
    event = orjson.loads(line)
    meta = event["object"].get("metadata") or {}
    return event["type"], meta.get("namespace", ""), meta.get("name", ""), meta.get("resourceVersion", "")

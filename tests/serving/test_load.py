"""Many clients at once: no watch loses, repeats or reorders anything, and nothing is left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from lockstep.quality.bench.mixed_traffic import Outcome, play

#: Bytes by which the memory of a process may differ between two looks at the same state.
_TOLERANCE = 24 * 2**20


class _Served:
    """`lockstep serve` as a process of its own."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url

    def store(self, **asked: bool) -> dict[str, Any]:
        body = json.dumps(asked).encode() if asked else None
        with urllib.request.urlopen(f"{self.url}/lockstep/store", body, timeout=60) as answer:  # noqa: S310 - our own URL
            return json.loads(answer.read())  # type: ignore[no-any-return]

    def files(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def memory(self) -> int:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[_Served]:
    file = tmp_path / "kubeconfig"
    command = [sys.executable, "-m", "lockstep.cli", "serve", "--kubeconfig", str(file), "--controllers", "replicaset"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while not file.exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield _Served(process, yaml.safe_load(file.read_text())["clusters"][0]["cluster"]["server"])
    finally:
        process.kill()
        process.communicate()


def _comes_down_to(look: Callable[[], int], most: int) -> None:
    deadline = time.monotonic() + 20
    while look() > most:
        assert time.monotonic() < deadline, f"{look()} instead of {most}"
        time.sleep(0.1)


def _load(served: _Served, seconds: float, seed: int) -> Outcome:
    before, files = served.store(), served.files()
    outcome = asyncio.run(play(served.url, seconds=seconds, seed=seed))
    reported = (
        f"{outcome.requests} requests, {outcome.events} events on {outcome.watches} watches, {dict(outcome.codes)}"
    )
    assert not outcome.faults, f"{reported}: {outcome.faults[:3]}"
    assert outcome.events > 100, reported
    _comes_down_to(lambda: int(served.store()["watches"]), before["watches"])
    _comes_down_to(served.files, files)
    served.store(compact=True)
    return outcome


def test_fifty_clients_and_every_watch_is_the_history(served: _Served) -> None:
    _load(served, 5, seed=1)
    assert served.store()["changes"] < 100
    served.process.send_signal(signal.SIGTERM)
    _, err = served.process.communicate(timeout=30)
    assert (served.process.returncode, err.count("\n")) == (0, 1)


@pytest.mark.load
def test_two_minutes_of_fifty_clients_leave_nothing_behind(served: _Served) -> None:
    _load(served, 60, seed=2)  # what is made once and kept
    before = served.memory()
    outcome = _load(served, 60, seed=3)
    assert served.memory() - before < _TOLERANCE
    assert outcome.requests > 1000


def test_fifty_open_watches_end_with_the_server(served: _Served) -> None:
    async def watch(session: aiohttp.ClientSession, opened: list[bool]) -> bytes:
        async with session.get("/api/v1/pods", params={"watch": "true"}) as answer:
            opened.append(answer.status == 200)
            return await answer.read()

    async def play_out() -> list[bytes]:
        opened: list[bool] = []
        async with aiohttp.ClientSession(served.url, connector=aiohttp.TCPConnector(limit=0)) as session:
            watching = [asyncio.create_task(watch(session, opened)) for _ in range(50)]
            while len(opened) < len(watching):  # noqa: ASYNC110 - the watches count
                await asyncio.sleep(0.05)
            assert all(opened)
            served.process.send_signal(signal.SIGTERM)
            return await asyncio.wait_for(asyncio.gather(*watching), 20)

    assert asyncio.run(play_out()) == [b""] * 50
    _, err = served.process.communicate(timeout=30)
    assert (served.process.returncode, err.count("\n")) == (0, 1)

"""A process that dies, hangs or speaks nonsense costs the run, with one clear line, and never the next run."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from lockstep.implementations.upstream.driver import Answer, BubbleDriver
from lockstep.implementations.upstream.errors import RunRefused, UpstreamFailed
from lockstep.implementations.upstream.process import UpstreamProcess
from lockstep.implementations.upstream.traffic import ApiRequest
from lockstep.time.loop import VirtualLoop, run
from tests.upstream.toy_server import ToyReply, ToyWatch

_FAKE = Path(__file__).with_name("fake_process.py")


def _process(mode: str, **options: float) -> UpstreamProcess:
    return UpstreamProcess([sys.executable, str(_FAKE), mode], **{"patience": 20, **options})  # type: ignore[arg-type]


class _Sink:
    """Keeps the answers it owes; a request for /watched gets a watch."""

    def __init__(self) -> None:
        self.owed: list[tuple[ApiRequest, Answer]] = []
        self.watch = ToyWatch("pods")

    def serve(self, request: ApiRequest, answer: Answer) -> None:
        if request.path == "/watched":
            answer.reply(ToyReply(200, watch=self.watch))
        else:
            self.owed.append((request, answer))


def _play(process: UpstreamProcess, sink: _Sink | None = None) -> BubbleDriver:
    driver = BubbleDriver(process, sink or _Sink())
    loop = VirtualLoop()
    driver.attach(loop)

    async def body() -> None:
        driver.start("replicaset")
        await loop.world_sleep(5)

    try:
        run(loop, body())
    finally:
        driver.end()
    return driver


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("dies at once", r"process ended with code 1\. Its last words: panic: no memory left\. Run again"),
        ("other protocol", "process speaks protocol 99, not 3"),
        ("dies", r"process ended with code 2\. Its last words: panic: assignment to entry in nil map \| goroutine 1"),
        ("killed", "process was killed by signal 9"),
        ("nonsense", "process sent an invalid frame: b'PASS'"),
        ("unknown frame", "process sent an invalid frame: .*hello"),
        ("out of turn", "sent a frame 'done' where only idle or request or served makes sense"),
        ("runs ahead", "its clock ran past 5 s, to 5 s"),
        ("controller fails", "controller replicaset ended by itself: no such option"),
    ],
)
def test_what_goes_wrong_is_said_in_one_line(mode: str, message: str) -> None:
    with _process(mode) as process, pytest.raises(UpstreamFailed, match=message) as failure:
        _play(process)
    assert "\n" not in str(failure.value)


def test_a_process_that_hangs_is_killed() -> None:
    began = time.monotonic()
    with _process("hangs", patience=0.3) as process:
        with pytest.raises(UpstreamFailed, match=r"sent nothing for 0\.3 s of real time"):
            _play(process)
        assert process.pid is None
    assert time.monotonic() - began < 10


def test_a_run_that_is_refused_costs_the_process() -> None:
    with _process("refuses") as process:
        for _ in range(2):
            with pytest.raises(RunRefused, match="upstream cannot begin this run: no such gate"):
                _play(process)
            assert process.pid is None


def test_a_missing_program_is_named() -> None:
    message = r"cannot start /nowhere/upstream\.test: No such file"
    with UpstreamProcess(["/nowhere/upstream.test"]) as process, pytest.raises(UpstreamFailed, match=message):
        process.begin_run(0, 0)


@pytest.mark.parametrize(
    ("mode", "patience", "problem"),
    [("leaks", 20, "deadlock"), ("hangs at the end", 3, "sent nothing")],  # on a busy machine Python starts slowly
)
def test_a_bad_end_costs_the_process_but_not_the_run(mode: str, patience: float, problem: str) -> None:
    with _process(mode, patience=patience) as process:
        driver = _play(process)
        assert problem in driver.problem
        assert process.pid is None
        assert problem in _play(process).problem


def test_a_process_serves_many_runs_and_is_then_replaced() -> None:
    with _process("", runs_per_process=2) as process:
        pids = []
        for _ in range(5):
            _play(process)
            pids.append(process.pid)
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]


def test_a_process_that_died_between_two_runs_is_replaced() -> None:
    with _process("") as process:
        _play(process)
        dead = process.pid
        assert dead is not None
        os.kill(dead, signal.SIGKILL)
        os.waitid(os.P_PID, dead, os.WEXITED | os.WNOWAIT)
        _play(process)
        assert process.pid not in (None, dead)


def test_what_a_controller_gave_up_is_dropped() -> None:
    sink = _Sink()
    with _process("gives up") as process:
        loop = VirtualLoop()
        driver = BubbleDriver(process, sink)
        driver.attach(loop)

        async def body() -> None:
            await loop.world_sleep(5)
            request, answer = sink.owed[0]
            assert (request.path, request.query) == ("/late", {"x": "1", "y": ""})
            late = ToyWatch("pods")
            answer.reply(ToyReply(200, watch=late))
            assert late.stopped
            assert sink.watch.stopped
            await loop.world_sleep(5)

        run(loop, body())
        driver.end()
    assert [(note.at, note.text) for note in driver.notes] == [(5, "given up"), (6, "[]")]


def test_the_process_ends_when_its_user_does() -> None:
    process = _process("")
    process.begin_run(0, 0)
    pid = process.pid
    assert pid is not None
    process.close()
    assert not Path(f"/proc/{pid}").exists()
    process.close()

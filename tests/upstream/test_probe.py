"""Controllers that misbehave inside the bubble: a probe of ours, compiled into the real process."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from lockstep.implementations.upstream import build as building
from lockstep.implementations.upstream import module
from lockstep.implementations.upstream.build import Built
from lockstep.implementations.upstream.calls import CallOutcome
from lockstep.implementations.upstream.driver import Answer, BubbleDriver
from lockstep.implementations.upstream.errors import UpstreamFailed
from lockstep.implementations.upstream.process import UpstreamProcess
from lockstep.implementations.upstream.traffic import ApiRequest
from lockstep.time.loop import VirtualLoop, run
from tests.upstream.toy_server import ToyReply

pytestmark = pytest.mark.upstream

_PROBE = Path(__file__).parent / "probe" / "probe.go"


@pytest.fixture(scope="module")
def probe_built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The primary release with the probe among its controllers."""
    sources = tmp_path_factory.mktemp("sources") / "go"
    shutil.copytree(module.SOURCES, sources)
    shutil.copy(_PROBE, sources / "controllers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SOURCES", sources)
        folder = building.cache_root() / "probe"  # beside the user's builds, not among them
        patch.setattr(building, "cache_root", lambda: folder)
        return building.build(progress=print)


@pytest.fixture(scope="module")
def probe(probe_built: Built) -> Iterator[UpstreamProcess]:
    with UpstreamProcess.of(probe_built, patience=30) as process:
        yield process


class _Sink:
    """Answers at once, but /late after ten seconds."""

    def __init__(self, loop: VirtualLoop) -> None:
        self.loop = loop
        self.seen: list[tuple[float, str, str]] = []

    def serve(self, request: ApiRequest, answer: Answer) -> None:
        self.seen.append((self.loop.time(), request.path, request.query.get("error", "")))
        wait = 10 if request.path == "/late" else 1 if request.path == "/early" else 0
        self.loop.world_after(wait, lambda: answer.reply(ToyReply(200, {})))


Body = Callable[[BubbleDriver, VirtualLoop], Awaitable[None]]


async def _a_minute(_: BubbleDriver, loop: VirtualLoop) -> None:
    await loop.world_sleep(60)


def _play(process: UpstreamProcess, mode: str, play: Body = _a_minute) -> tuple[BubbleDriver, _Sink]:
    loop = VirtualLoop()
    sink = _Sink(loop)
    driver = BubbleDriver(process, sink)
    driver.attach(loop)

    async def body() -> None:
        driver.start("probe", {"mode": mode})
        await play(driver, loop)

    try:
        run(loop, body())
    finally:
        driver.end()
    return driver, sink


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        ("leaks", "blocked goroutines remain"),
        ("leaks a ticker", "blocked goroutines remain"),
        ("never returns", "blocked goroutines remain"),
    ],
)
def test_goroutines_that_never_end_cost_only_the_process(probe: UpstreamProcess, mode: str, problem: str) -> None:
    driver, _ = _play(probe, mode)
    assert problem in driver.problem
    assert probe.pid is None
    assert _play(probe, "")[0].problem == ""


def test_a_controller_that_ends_is_reported(probe: UpstreamProcess) -> None:
    with pytest.raises(UpstreamFailed, match="controller probe ended by itself: no such option"):
        _play(probe, "ends")
    assert _play(probe, "")[0].problem == ""


def test_a_panic_is_shown(probe: UpstreamProcess) -> None:
    with pytest.raises(UpstreamFailed, match=r"process ended with code 2.*panic: the probe has a bug"):
        _play(probe, "panics")


def test_a_controller_that_spins_is_killed(probe_built: Built) -> None:
    with UpstreamProcess.of(probe_built, patience=0.5) as process, pytest.raises(UpstreamFailed, match="may spin"):
        _play(process, "spins")


def test_a_caller_that_gives_up_gets_no_late_answer(probe: UpstreamProcess) -> None:
    driver, sink = _play(probe, "is impatient")
    assert sink.seen == [
        (0.0, "/early", ""),
        (1.0, "/early/answered", ""),
        (1.0, "/late", ""),
        (6.0, "/late/failed", "context"),
    ]
    assert driver.problem == ""


# -- calls -------------------------------------------------------------------------------------------------------------


class _Caller:
    """Calls the probe, and notes when which answer came."""

    def __init__(self, driver: BubbleDriver, loop: VirtualLoop) -> None:
        self._driver = driver
        self._loop = loop
        self.heard: list[tuple[float, str, int, str, str]] = []

    def call(self, path: str, body: bytes = b"") -> Callable[[], None]:
        def hear(outcome: CallOutcome) -> None:
            said = outcome.body.decode()
            self.heard.append((self._loop.time(), path, outcome.status, said, outcome.reason))

        return self._driver.call("probe", "POST", path, {"X-Colour": "red"}, body, hear)


def test_calls_are_answered_when_the_handler_is_done(probe: UpstreamProcess) -> None:
    heard: list[tuple[float, str, int, str, str]] = []

    async def play(driver: BubbleDriver, loop: VirtualLoop) -> None:
        caller = _Caller(driver, loop)
        await loop.world_sleep(1)
        for path in ("/slow", "/echo", "/asks"):
            caller.call(path, b"hello")
        await loop.world_sleep(60)
        heard.extend(caller.heard)

    driver, sink = _play(probe, "listens", play)
    assert heard == [
        (1.0, "/echo", 201, "POST red hello", ""),
        (2.0, "/asks", 200, "", ""),  # the API server takes a second for its request
        (6.0, "/slow", 200, "", ""),
    ]
    assert sink.seen == [(1.0, "/early", "")]
    assert driver.problem == ""


def test_a_handler_that_panics_ends_its_call_only(probe: UpstreamProcess) -> None:
    heard: list[tuple[float, str, int, str, str]] = []

    async def play(driver: BubbleDriver, loop: VirtualLoop) -> None:
        caller = _Caller(driver, loop)
        await loop.world_sleep(1)
        caller.call("/panics")
        await loop.world_sleep(1)
        caller.call("/echo")
        await loop.world_sleep(1)
        heard.extend(caller.heard)

    driver, _ = _play(probe, "listens", play)
    assert heard == [(1.0, "/panics", 0, "", "eof"), (2.0, "/echo", 201, "POST red ", "")]
    assert [note.text for note in driver.notes] == ["a handler panicked: the handler has a bug"]


def test_a_crash_breaks_open_calls_and_refuses_the_next(probe: UpstreamProcess) -> None:
    heard: list[tuple[float, str, int, str, str]] = []

    async def play(driver: BubbleDriver, loop: VirtualLoop) -> None:
        caller = _Caller(driver, loop)
        await loop.world_sleep(1)
        caller.call("/slow")
        await loop.world_sleep(1)
        driver.crash("probe")
        caller.call("/echo")
        driver.start("probe", {"mode": "listens late"})
        caller.call("/echo")
        await loop.world_sleep(1)
        caller.call("/echo")
        await loop.world_sleep(10)
        caller.call("/echo")
        await loop.world_sleep(10)
        heard.extend(caller.heard)

    driver, _ = _play(probe, "listens", play)
    assert heard == [
        (2.0, "/slow", 0, "", "eof"),
        (2.0, "/echo", 0, "", "refused"),
        (2.0, "/echo", 0, "", "refused"),
        (3.0, "/echo", 0, "", "refused"),
        (13.0, "/echo", 201, "POST red ", ""),
    ]
    assert driver.problem == ""


def test_a_caller_that_has_gone_is_not_answered(probe: UpstreamProcess) -> None:
    heard: list[tuple[float, str, int, str, str]] = []

    async def play(driver: BubbleDriver, loop: VirtualLoop) -> None:
        caller = _Caller(driver, loop)
        await loop.world_sleep(1)
        hang_up = caller.call("/slow")
        await loop.world_sleep(1)
        hang_up()
        hang_up()
        await loop.world_sleep(60)
        heard.extend(caller.heard)

    driver, sink = _play(probe, "listens", play)
    assert heard == []
    assert sink.seen == [(2.0, "/hung-up", "")]  # the handler saw its context end
    assert driver.problem == ""


def test_a_program_that_exits_is_reported(probe: UpstreamProcess) -> None:
    with pytest.raises(UpstreamFailed, match="controller probe ended by itself: its program exits with code 255"):
        _play(probe, "exits")


def test_errors_that_are_only_logged_are_kept(probe: UpstreamProcess) -> None:
    driver, _ = _play(probe, "logs")
    assert [note.text for note in driver.notes] == ["It went wrong: no luck colour=red"]

"""Controllers that misbehave inside the bubble: a probe of ours, compiled into the real process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.loop import VirtualLoop, run
from harness.upstream import build as building
from harness.upstream import module
from harness.upstream.build import Built
from harness.upstream.driver import Answer, ApiRequest, BubbleDriver
from harness.upstream.errors import UpstreamFailed
from harness.upstream.process import UpstreamProcess
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


def _play(process: UpstreamProcess, mode: str) -> tuple[BubbleDriver, _Sink]:
    loop = VirtualLoop()
    sink = _Sink(loop)
    driver = BubbleDriver(process, sink)
    driver.attach(loop)

    async def body() -> None:
        driver.start("probe", {"mode": mode})
        await loop.world_sleep(60)

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

"""Late answers, broken connections, ended watches and crashes reach the real controller as a real network's would."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lockstep.implementations.upstream.driver import Answer
from lockstep.implementations.upstream.process import UpstreamProcess
from lockstep.implementations.upstream.traffic import ApiRequest
from lockstep.time.clock import seconds
from tests.upstream.play import Play, three_pods
from tests.upstream.toy_server import ToyReply, status

pytestmark = pytest.mark.upstream


def _on_pod_create(act: Callable[[ApiRequest, Answer], None], times: int) -> Callable[[ApiRequest, Answer], bool]:
    """Act on the first `times` creations of pods in the server's stead."""
    seen = 0

    def before(request: ApiRequest, answer: Answer) -> bool:
        nonlocal seen
        if request.method != "POST" or not request.path.endswith("/pods") or seen >= times:
            return False
        seen += 1
        act(request, answer)
        return True

    return before


def test_a_late_answer_takes_virtual_time(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        def late(request: ApiRequest, answer: Answer) -> None:
            play.loop.world_after(5, lambda: answer.reply(play.server.handle(request)))

        play.server.before = _on_pod_create(late, 1)
        play.create(3)
        await play.sleep(4.999)
        assert play.pods() == []
        await play.sleep(10)
        assert len(play.pods()) == 3

    # The first create is a batch of its own, and the second batch waits for its answer.
    assert Play(process).run(body).posts() == [1.0, 6.0, 6.0]


def test_a_retry_after_header_makes_the_client_wait(process: UpstreamProcess) -> None:
    def busy(_: ApiRequest, answer: Answer) -> None:
        answer.reply(ToyReply(429, status(429, "TooManyRequests"), headers={"Retry-After": "3"}))

    async def body(play: Play) -> None:
        play.server.before = _on_pod_create(busy, 1)
        play.create(1)
        await play.sleep(60)

    assert Play(process).run(body).posts() == [1.0, 4.0]


def test_a_broken_connection_is_an_error_to_the_controller(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.server.before = _on_pod_create(lambda _, answer: answer.broken("reset"), 1)
        play.create(1)
        await play.sleep(60)

    play = Play(process).run(body)
    assert len(play.posts()) == 2
    assert len(play.pods()) == 1
    assert any("connection reset by peer" in note.text for note in play.driver.notes)


@pytest.mark.parametrize("broken", ["", "reset", "eof"])
def test_an_ended_watch_is_opened_again(process: UpstreamProcess, broken: str) -> None:
    async def body(play: Play) -> None:
        play.create(1)
        await play.sleep(10)
        for watch in play.server.open_watches():
            if watch.resource == "pods":
                watch.end(broken)
        await play.sleep(30)
        play.server.delete("pods", play.pods()[0])
        await play.sleep(30)

    play = Play(process).run(body)
    assert play.posts() == [1.0, 41.0]


def test_a_crash_lets_no_request_out_and_no_answer_in(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        answers: list[tuple[ApiRequest, Answer]] = []
        play.server.before = _on_pod_create(lambda request, answer: answers.append((request, answer)), 1)
        play.create(3)
        await play.sleep(5)
        play.driver.crash("replicaset")
        served = len(play.server.log)
        request, answer = answers[0]
        answer.reply(play.server.handle(request))
        await play.sleep(3600)
        assert len(play.server.log) == served
        assert play.server.open_watches() == []
        assert len(play.pods()) == 1
        play.driver.start("replicaset")
        await play.sleep(60)
        assert len(play.pods()) == 3

    # client-go looks whether the caches are synced every 100 ms.
    assert Play(process).run(body).posts() == [1.0, 3606.1, 3606.1]


def test_a_crash_in_the_middle_of_a_request(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        def crash(request: ApiRequest, answer: Answer) -> None:
            reply = play.server.handle(request)  # it has taken effect, but the client will not know
            play.driver.crash("replicaset")
            answer.reply(reply)

        play.server.before = _on_pod_create(crash, 1)
        play.create(3)
        await play.sleep(60)
        assert len(play.pods()) == 1
        assert play.loop.now == seconds(61)

    assert Play(process).run(body).posts() == [1.0]


def test_a_watch_that_opens_after_the_crash_is_stopped(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        waiting: list[tuple[ApiRequest, Answer]] = []

        def hold(request: ApiRequest, answer: Answer) -> bool:
            waiting.append((request, answer))
            return True

        play.server.before = hold
        play.driver.start("replicaset")
        await play.sleep(1)
        play.driver.crash("replicaset")
        for request, answer in waiting:
            answer.reply(play.server.handle(request))
        assert waiting
        assert play.server.open_watches() == []

    Play(process).run(body, autostart=False)


def test_starting_and_crashing_are_checked(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        with pytest.raises(ValueError, match="running already"):
            play.driver.start("replicaset")
        with pytest.raises(ValueError, match="no controller 'cronjob' here; it has: hpa, replicaset"):
            play.driver.start("cronjob")
        play.driver.crash("replicaset")
        with pytest.raises(ValueError, match="not running"):
            play.driver.crash("replicaset")

    Play(process).run(body)


def test_runs_end_while_an_answer_is_owed(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.server.before = _on_pod_create(lambda *_: None, 1)
        play.create(3)
        await play.sleep(5)

    play = Play(process).run(body)
    assert play.driver.problem == ""
    assert play.server.open_watches() == []
    assert Play(process).run(three_pods).posts() == [1.0, 1.0, 1.0]

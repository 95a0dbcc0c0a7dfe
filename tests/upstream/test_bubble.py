"""The real ReplicaSet controller on virtual time: what it does, when, and that it does so again."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from lockstep.implementations.upstream.driver import Answer
from lockstep.implementations.upstream.process import UpstreamProcess
from lockstep.implementations.upstream.traffic import ApiRequest
from lockstep.time.clock import seconds
from lockstep.time.loop import Stuck
from tests.upstream.play import Play, three_pods
from tests.upstream.toy_server import ToyReply, status

pytestmark = pytest.mark.upstream


def test_a_replicaset_gets_its_pods(process: UpstreamProcess) -> None:
    play = Play(process).run(three_pods)
    assert play.posts() == [1.0, 1.0, 1.0]
    assert play.server.of("replicasets")[0]["status"]["replicas"] == 3
    assert play.driver.problem == ""


def test_half_an_hour_passes_without_another_write(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.create(3)
        await play.sleep(1800)

    play = Play(process).run(body)
    assert play.loop.now == seconds(1801)
    assert {at for at, _, _ in play.server.writes()} == {seconds(1)}


def test_a_lost_pod_is_replaced_in_the_instant_of_its_loss(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.create(2)
        await play.sleep(10.5)
        play.server.delete("pods", play.pods()[0])
        await play.sleep(0)
        assert len(play.pods()) == 2

    assert Play(process).run(body).posts() == [1.0, 1.0, 11.5]


def test_controllers_come_to_rest_between_two_steps_of_one_instant(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        counts = []
        play.loop.world_after(5, lambda: play.create(2))
        play.loop.world_after(5, lambda: counts.append(len(play.pods())))
        await play.sleep(6)
        assert counts == [2]

    Play(process).run(body)


def test_fifty_runs_do_the_same(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.create(5)
        for _ in range(5):
            await play.sleep(60)
            play.server.delete("pods", play.pods()[0])

    plays = [Play(process).run(body) for _ in range(50)]
    assert len({str(play.server.writes()) for play in plays}) == 1
    # Events too, but their order inside an instant is free: upstream's broadcaster goes through a map.
    assert len({str(sorted(Counter(play.server.log).items())) for play in plays}) == 1


def test_a_shuffled_order_is_repeatable_and_another_one(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        for name in "abcdef":
            play.create(2, name)
        await play.sleep(60)

    def owners(shuffle: int) -> str:
        play = Play(process, shuffle=shuffle).run(body)
        assert len(play.pods()) == 12
        return " ".join(pod["metadata"]["generateName"] for pod in play.server.of("pods"))

    orders = {shuffle: owners(shuffle) for shuffle in (0, 1, 2, 3)}
    assert owners(1) == orders[1]
    assert len(set(orders.values())) > 2


def test_options_reach_the_controller(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.driver.start("replicaset", {"workers": 1, "burst_replicas": 2, "resync": 0})
        await play.sleep(1)
        play.create(5)
        await play.sleep(60)

    play = Play(process).run(body, autostart=False)
    assert len(play.pods()) == 5
    status_updates = [entry for entry in play.server.writes() if entry[2].endswith("/status")]
    assert len(status_updates) >= 3  # bursts of two: after 2, after 4, after 5


def test_errors_that_upstream_only_logs_become_notes(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.server.before = _refuse_pods
        play.create(1)
        await play.sleep(0.001)

    play = Play(process).run(body)
    assert any("is forbidden here" in note.text and note.at == seconds(1) for note in play.driver.notes)


def _refuse_pods(request: ApiRequest, answer: Answer) -> bool:
    if request.method != "POST" or not request.path.endswith("/pods"):
        return False
    answer.reply(ToyReply(403, {**status(403, "Forbidden"), "message": "this is forbidden here"}))
    return True


def test_a_body_that_fails_leaves_the_process_usable(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.create(3)
        await play.sleep(5)
        raise RuntimeError("the scenario is wrong")

    with pytest.raises(RuntimeError, match="the scenario is wrong"):
        Play(process).run(body)
    assert Play(process).run(three_pods).posts() == [1.0, 1.0, 1.0]


def test_a_sink_that_fails_leaves_the_process_usable(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        play.server.before = lambda *_: 1 / 0 > 0
        play.create(3)
        await play.sleep(5)

    with pytest.raises(ZeroDivisionError):
        Play(process).run(body)
    assert Play(process).run(three_pods).posts() == [1.0, 1.0, 1.0]


def test_waiting_for_nothing_is_reported(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(Stuck, match="nothing is scheduled"):
        Play(process).run(body)


def test_a_python_task_resumes_in_the_instant_of_the_request_that_woke_it(process: UpstreamProcess) -> None:
    async def body(play: Play) -> None:
        future: asyncio.Future[int] = play.loop.create_future()

        def before(request: ApiRequest, _: Answer) -> bool:
            if request.method == "POST" and not future.done():
                future.set_result(play.loop.now)
            return False

        play.server.before = before
        play.loop.world_after(7, lambda: play.create(1))
        play.loop.world_after(100, lambda: None)
        assert await future == seconds(8)
        assert play.loop.now == seconds(8)

    Play(process).run(body)

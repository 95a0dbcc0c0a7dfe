"""Who moves time between requests from outside."""

from __future__ import annotations

from lockstep.serving.boxes import Inbox
from lockstep.serving.clocks import JumpingClock, ManualClock, RealClock
from lockstep.time.clock import SECOND
from lockstep.time.loop import STEPS_IN_ONE_INSTANT, VirtualLoop, run


class _Wall:
    """A monotonic clock that stands still unless a thread waits at `inbox`."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


class _Inbox(Inbox):
    def __init__(self, wall: _Wall, interrupted_after: int = 0) -> None:
        super().__init__()
        self._wall = wall
        self._interrupted_after = interrupted_after

    def wait(self, timeout: float | None) -> None:
        assert timeout is not None
        duration = round(timeout * SECOND)
        if self._interrupted_after:
            duration, self._interrupted_after = self._interrupted_after, 0
        self._wall.now += duration


def test_a_step_is_taken_at_its_instant_when_the_real_clock_gets_there() -> None:
    wall = _Wall()
    clock = RealClock(_Inbox(wall), wall)
    loop = VirtualLoop(clock)
    start = loop.now = clock.start()
    run(loop, loop.world_sleep(5))
    assert (loop.now - start, wall.now) == (5 * SECOND, 5 * SECOND)


def test_a_request_is_let_in_at_the_moment_when_it_comes() -> None:
    wall = _Wall()
    inbox = _Inbox(wall, interrupted_after=2 * SECOND)
    clock = RealClock(inbox, wall)
    loop = VirtualLoop(clock)
    start = loop.now = clock.start()
    seen: list[int] = []
    inbox.put(lambda: seen.append(loop.now - start))
    run(loop, loop.world_sleep(5))
    assert seen == [2 * SECOND]
    assert loop.now - start == 5 * SECOND


def test_a_late_step_does_not_turn_the_clock_back() -> None:
    wall = _Wall()
    clock = RealClock(_Inbox(wall), wall)
    loop = VirtualLoop(clock)
    start = loop.now = clock.start()
    instants: list[int] = []
    loop.world_after(1, lambda: setattr(wall, "now", 10 * SECOND))  # this step takes nine seconds
    loop.world_after(2, lambda: instants.append(loop.now - start))
    run(loop, loop.world_sleep(11))
    assert instants == [2 * SECOND]
    assert loop.now - start == 11 * SECOND


def test_a_jumping_clock_lets_requests_in_before_it_jumps() -> None:
    inbox = Inbox()
    loop = VirtualLoop(JumpingClock(inbox))
    seen: list[int] = []
    inbox.put(lambda: seen.append(loop.now))
    run(loop, loop.world_sleep(3600))
    assert (seen, loop.now) == ([0], 3600 * SECOND)


def test_a_manual_clock_goes_as_far_as_it_may_and_says_when_it_is_there() -> None:
    inbox = Inbox()
    clock = ManualClock(inbox)
    loop = VirtualLoop(clock)
    reached: list[int] = []
    steps: list[int] = []
    loop.world_after(30, lambda: steps.append(loop.now))

    def go_on() -> None:
        reached.append(loop.now)
        inbox.put(lambda: clock.move(39 * SECOND, list))

    inbox.put(lambda: clock.move(60 * SECOND, go_on))
    run(loop, loop.world_sleep(100))
    assert (steps, reached) == ([30 * SECOND], [61 * SECOND])


def test_requests_from_outside_are_no_standstill() -> None:
    inbox = Inbox()
    clock = ManualClock(inbox)
    loop = VirtualLoop(clock)
    left = STEPS_IN_ONE_INSTANT + 10

    def request() -> None:
        nonlocal left
        left -= 1
        loop.world_after(0, lambda: inbox.put(request) if left else clock.move(SECOND, list))

    inbox.put(request)
    run(loop, loop.world_sleep(2))
    assert left == 0

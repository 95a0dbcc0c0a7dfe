"""Scenarios on several processors: worker processes, each with a copy of the open runner.

Workers are forked, so they start within milliseconds; importing the suite again would take a second. A scenario's body
cannot be sent to a process, but a forked worker has every scenario already: an index into the list is enough. Workers
are forked before any implementation has run, so that each starts its own processes, and while only one thread runs.
Each worker has one scenario at a time: if a worker dies, only that scenario is lost.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from lockstep.errors import LockstepError
from lockstep.runs.outcome import Outcome

if TYPE_CHECKING:
    from lockstep.scenarios.declare import Scenario

_FORK = multiprocessing.get_context("fork")
#: Real seconds in which a worker must close its resources after a request to end.
_PATIENCE = 5.0
#: A scenario with more controllers is a closed loop of many hours.
_FEW_CONTROLLERS = 2
_ENDING = {signal.SIGINT, signal.SIGTERM}


class _Terminated(KeyboardInterrupt):
    """The parent ends this worker. Not SystemExit, which a scenario may raise."""


def _terminate(*_: object) -> None:
    raise _Terminated


class WorkerFailed(Exception):
    """A bug in Lockstep that a worker ran into; the message is its traceback."""


@dataclass(slots=True)
class _Worker:
    """`number` is that of the current scenario; None while there is none."""

    process: ForkProcess
    pipe: Connection
    number: int | None = None


class Workers:
    """Context manager over `jobs` processes that `run` scenarios. `close` closes the resources of each."""

    def __init__(
        self, scenarios: Sequence[Scenario], run: Callable[[Scenario], Outcome], close: Callable[[], None], jobs: int
    ) -> None:
        self._scenarios = scenarios
        self._run = run
        self._close = close
        self._jobs = jobs
        self._workers: list[_Worker] = []
        order = range(len(scenarios))
        loops = [number for number in order if len(scenarios[number].controllers) > _FEW_CONTROLLERS]
        #: Waiting scenarios: the long ones, longest first, and all others.
        self._long = deque(sorted(loops, key=lambda number: -scenarios[number].horizon))
        self._others = deque(number for number in order if number not in set(loops))

    def __enter__(self) -> Self:
        try:
            for place in range(self._jobs):
                self._workers.append(self._start(place))
        except BaseException:
            self._end(at_once=True)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end(at_once=any(worker.number is not None for worker in self._workers))

    def outcomes(self, doing: Callable[[str], None]) -> Iterator[Outcome]:
        """The outcomes in the order of the scenarios. Raises LockstepError or WorkerFailed where a run did."""
        done: dict[int, Outcome | Exception] = {}
        for place in range(self._jobs):
            self._hand_out(place, doing)
        for number in range(len(self._scenarios)):
            while number not in done:
                for ready in wait([worker.pipe for worker in self._workers if worker.number is not None]):
                    place = next(place for place, worker in enumerate(self._workers) if worker.pipe is ready)
                    finished, result = self._receive(place)
                    done[finished] = result
                    self._hand_out(place, doing)
            result = done.pop(number)
            if isinstance(result, Exception):
                raise result
            yield result

    def _hand_out(self, place: int, doing: Callable[[str], None]) -> None:
        """Give a worker its next scenario. Every second one starts with the long ones, so that they do not end last."""
        queues = (self._long, self._others) if place % 2 == 0 else (self._others, self._long)
        queue = next((one for one in queues if one), None)
        worker = self._workers[place]
        worker.number = queue.popleft() if queue else None
        if worker.number is not None:
            doing(self._scenarios[worker.number].id)
            with suppress(OSError):  # it has died in the meantime; its end of the pipe shows that
                worker.pipe.send(worker.number)

    def _receive(self, place: int) -> tuple[int, Outcome | Exception]:
        """The outcome of a worker's scenario. A worker that died is replaced."""
        worker = self._workers[place]
        assert worker.number is not None, "a worker without a scenario has nothing to say"
        scenario = self._scenarios[worker.number]
        try:
            result = worker.pipe.recv()
        except (EOFError, OSError):
            worker.pipe.close()
            worker.process.join()
            code = worker.process.exitcode or 0
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            message = f"the process that ran this scenario {how}; to see why: lockstep run {scenario.id} --jobs 1"
            self._workers[place] = self._start(place)
            return worker.number, Outcome(scenario, "error", 0, 0, 0.0, 0.0, message)
        if isinstance(result, Exception):
            return worker.number, result
        return worker.number, Outcome(scenario=scenario, **result)

    # -- life and death -----------------------------------------------------------------------------------------------

    def _start(self, place: int) -> _Worker:
        """Fork, with ending signals blocked: so every worker is known, and none handles these signals as we do."""
        ours, theirs = _FORK.Pipe()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            strangers = [ours, *(worker.pipe for at, worker in enumerate(self._workers) if at != place)]
            process = _FORK.Process(target=self._work, args=(theirs, strangers, mask), daemon=True)
            process.start()
            worker = _Worker(process, ours)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            theirs.close()
        return worker

    def _work(self, pipe: Connection, strangers: Sequence[Connection], mask: Any) -> None:
        """In the worker: run what comes until nothing does, because all is done or the parent is gone."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all: the parent ends us
        signal.signal(signal.SIGTERM, _terminate)
        for one in strangers:  # else the end of the parent would not end what comes
            one.close()
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            with suppress(EOFError, OSError):
                while True:
                    result = self._result(self._scenarios[pipe.recv()])
                    sys.stdout.flush()
                    pipe.send(result)
        except _Terminated:
            sys.exit(128 + signal.SIGTERM)
        finally:
            self._close()

    def _result(self, scenario: Scenario) -> dict[str, Any] | Exception:
        """The outcome's fields without the scenario, which cannot be sent; or the exception of the run."""
        try:
            outcome = self._run(scenario)
        except LockstepError as error:
            return LockstepError(str(error))
        except Exception:
            return WorkerFailed(f"in a worker, at {scenario.id}:\n{traceback.format_exc()}")
        return {one.name: getattr(outcome, one.name) for one in fields(outcome) if one.name != "scenario"}

    def _end(self, *, at_once: bool) -> None:
        """End all workers: after they have closed their resources, or by force if that takes too long."""
        for worker in self._workers:
            worker.pipe.close()
            if at_once:
                worker.process.terminate()
        deadline = time.monotonic() + _PATIENCE
        for worker in self._workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
        for worker in self._workers:
            if worker.process.is_alive():
                worker.process.kill()
            worker.process.join()

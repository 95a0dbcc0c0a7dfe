"""The loop of a served cluster: clients from outside may send what the simulated world does not expect.

A scenario that breaks the world must fail. A server that failed would take the cluster away from all other clients. So
here the step is skipped and logged, and the actor goes on with its next step.
"""

from __future__ import annotations

import logging

from lockstep.time.loop import Driver, Standstill, VirtualLoop

_LOG = logging.getLogger("lockstep.serve")


class ServedLoop(VirtualLoop):
    """A virtual loop that survives failing steps of the world."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        #: How many steps were skipped.
        self.failed_steps = 0

    def _take_world_step(self) -> None:
        try:
            super()._take_world_step()
        except Standstill:
            raise
        except Exception as error:
            self.failed_steps += 1
            told = f"{type(error).__name__}: {error} ({_place(error)})"
            _LOG.error("a step of the simulated world failed and is left out: %s", told)


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"

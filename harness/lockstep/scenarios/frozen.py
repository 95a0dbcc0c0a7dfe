"""Shows virtual time to third-party code that reads the system clock. Needs freezegun, from the extra `frozen`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lockstep.errors import extra
from lockstep.time.loop import Driver, VirtualLoop

if TYPE_CHECKING:
    from freezegun.api import FrozenDateTimeFactory

#: Modules that keep their clock: reading every name in them, as freezegun does, would import more modules with fake
#: time.
_UNTOUCHED = ["subprocess", "kubernetes", "pydantic"]


@contextmanager
def frozen() -> Iterator[None]:
    """Let `time.time()`, `datetime.now()` and the like follow the virtual loop that the calling coroutine runs on.

    Raises LockstepError where the extra `frozen` is not installed.
    """
    with extra("frozen", "scenarios that show virtual time to third-party code"):
        from freezegun import freeze_time
        from freezegun.api import FrozenDateTimeFactory
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop), "frozen() needs virtual time: use it in a scenario, on a VirtualLoop"
    driver = loop.driver
    with freeze_time(_moment(loop), ignore=_UNTOUCHED) as clock:
        assert isinstance(clock, FrozenDateTimeFactory)
        loop.driver = _Shown(driver, clock)
        try:
            yield
        finally:
            loop.driver = driver


class _Shown(Driver):
    def __init__(self, driver: Driver, clock: FrozenDateTimeFactory) -> None:
        self._driver, self._clock = driver, clock

    def advance(self, loop: VirtualLoop, until: int | None) -> None:
        self._driver.advance(loop, until)
        self._clock.move_to(_moment(loop))


def _moment(loop: VirtualLoop) -> datetime:
    return datetime(2000, 1, 1) + timedelta(microseconds=loop.now // 1000)  # noqa: DTZ001 - freezegun takes it for UTC

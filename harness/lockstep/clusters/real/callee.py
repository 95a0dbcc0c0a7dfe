"""A webhook that is a separate program, called over HTTPS as an API server would."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

from lockstep.network.calls import HUNG_UP, REFUSED, CallAnswer, Served

if TYPE_CHECKING:
    from lockstep.network import Broken
    from lockstep.serving.boxes import Inbox


class Callee:
    """The program at the URL `root`. `authority`: the file of the authority that signed its certificate."""

    def __init__(self, root: str, authority: Path) -> None:
        self._root = root
        self._trust = ssl.create_default_context(cafile=str(authority))

    def call(
        self,
        loop: asyncio.AbstractEventLoop,
        inbox: Inbox,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        answer: CallAnswer,
    ) -> Callable[[], None]:
        """Call it from `loop`, which runs on another thread. The answer arrives through `inbox`.

        Returns a function that cancels the call: the caller has given up, and `answer` is not called any more.
        """
        wanted = True

        def conclude(result: Served | Broken) -> None:
            if wanted:
                answer(result)

        async def work() -> None:
            result = await self._answer(method, path, headers, body)
            inbox.put(lambda: conclude(result))

        under_way = asyncio.run_coroutine_threadsafe(work(), loop)

        def take_back() -> None:
            nonlocal wanted
            wanted = False
            under_way.cancel()

        return take_back

    async def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Served | Broken:
        # one connection for each call, so that none to a killed program looks alive
        connector = aiohttp.TCPConnector(ssl=self._trust, force_close=True)
        async with aiohttp.ClientSession(connector=connector) as session:
            try:
                async with session.request(method, self._root + path, headers=headers, data=body) as response:
                    return Served(response.status, await response.read())
            except aiohttp.ClientConnectorError:
                return REFUSED
            except (aiohttp.ClientError, OSError):
                return HUNG_UP

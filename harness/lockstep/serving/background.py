"""A served cluster beside code that is not asynchronous: in threads of this process, for tests and notebooks."""

from __future__ import annotations

import asyncio
import importlib
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lockstep.errors import LockstepError, extra
from lockstep.files import write_whole
from lockstep.http import Client, Server, connect
from lockstep.serving import ServeError
from lockstep.serving.service import Listen, Service, serve
from lockstep.serving.simulation import Setup


class KubeApi:
    """A fresh API server. Give `url` or `kubeconfig` to any client, in any language.

    A context manager; the server listens while it is entered. `kubeconfig` is written to the folder `folder`.
    """

    def __init__(self, folder: Path, setup: Setup | None = None, listen: Listen | None = None) -> None:
        self.kubeconfig = folder / "kubeconfig"
        self.url = ""
        self._setup = setup or Setup()
        self._listen = listen or Listen()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lockstep-front", daemon=True)
        self._service: Service | None = None
        self._client: Client | None = None

    def __enter__(self) -> Self:
        """Start. Raises ServeError."""
        self._thread.start()
        try:
            service = asyncio.run_coroutine_threadsafe(serve(self._setup, self._listen), self._loop).result()
        except BaseException:
            self._end_loop()
            raise
        self._service, self.url = service, service.url
        self._client = connect(Server(self.url, str(self._listen.certificate or ""), token=self._listen.token))
        write_whole(self.kubeconfig, service.kubeconfig)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop. Raises ServeError if the simulation had ended by itself."""
        service = self._service
        if service is None or self._client is None:
            return
        self._client.close()
        failure = service.failed.result() if service.failed.done() else ""
        try:
            asyncio.run_coroutine_threadsafe(service.stop(), self._loop).result()
        finally:
            self._end_loop()
        if failure and error is None:
            raise ServeError(f"the simulation ended by itself: {failure}")

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # -- a minimal client ---------------------------------------------------------------------------------------------

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """One request by path, without any client library; the answer as data. Raises ApiRefusal from 400 on."""
        assert self._client is not None, "the server listens while it is entered"
        answer = self._client.request(method, path, body, content_type)
        if answer.status >= 400:
            raise ApiRefusal(answer.status, answer.text)
        return answer.data

    def advance(self, seconds: float) -> float:
        """Let `seconds` pass on a manual clock; returns the time of the simulation, in seconds since it began."""
        return float(self.request("POST", "/lockstep/clock", {"advance": seconds})["seconds"])

    def compact(self) -> None:
        """Make the server forget all versions except the current ones, as etcd's compaction does."""
        assert self._service is not None, "the server listens while it is entered"
        simulation = self._service.simulation
        simulation.post(simulation.server.compact)

    def api_client(self) -> Any:
        """An `ApiClient` of the official client, from the extra `cluster`. Raises LockstepError without it."""
        with extra("cluster", "clients of this kind"):
            config = importlib.import_module("kubernetes.config")
        return config.new_client_from_config(str(self.kubeconfig))


class ApiRefusal(LockstepError):
    """The server refused a request: `code`, and the text of its answer."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text

"""Three API servers for one client: in this process, over HTTP, and the real one with its etcd.

All of them get their requests through the official Python client, which parses nothing here: a controller would parse
the JSON itself. For the server in this process, the client's connection pool calls the server's function.
"""

from __future__ import annotations

import importlib
import ssl
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson

from lockstep.apiserver import ApiServer, Reply, Request
from lockstep.apiserver.messages import JSON_HEADERS
from lockstep.clusters.control_plane import Process, start_control_plane
from lockstep.errors import extra
from lockstep.quality.bench.figures import BenchFailed

_PATIENCE = 60.0
_GLANCE = 0.01


@dataclass(frozen=True, slots=True)
class Server:
    """One API server. `client`: an ApiClient of the official client; `started`: real seconds until it was ready.

    `server` is set for the one in this process, `url` (and `tls`, if it uses TLS) for the others; `pids` are their
    processes.
    """

    name: str
    client: Any
    started: float
    server: ApiServer | None = None
    url: str = ""
    tls: ssl.SSLContext | None = None
    pids: tuple[int, ...] = ()


@contextmanager
def in_process() -> Iterator[Server]:
    """The in-memory server, called as a function."""
    began = time.monotonic()
    server = ApiServer(lambda: 0)
    server.handle(Request("GET", "/api/v1/namespaces/default"))
    started = time.monotonic() - began
    client = _kubernetes("client")
    api = client.ApiClient(client.Configuration())
    api.rest_client.pool_manager = _Calls(server)
    yield Server("in-process", api, started, server)


@contextmanager
def over_http() -> Iterator[Server]:
    """The in-memory server, in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        config, log = Path(folder, "kubeconfig"), Path(folder, "log")
        words = ["serve", "--no-kubelet", "--kubeconfig", str(config)]
        began = time.monotonic()
        process = Process("lockstep serve", [sys.executable, "-m", "lockstep.cli", *words], log)
        try:
            _wait_until(config.is_file, process)
            started = time.monotonic() - began
            with _client(config) as api:
                yield Server("over HTTP", api, started, url=api.configuration.host, pids=(process.pid,))
        finally:
            process.stop()


@contextmanager
def control_plane(progress: Callable[[str], None]) -> Iterator[Server]:
    """kube-apiserver and etcd."""
    start_control_plane(progress=progress).close()  # finds or builds the programs, and reads them from the disk
    began = time.monotonic()
    with start_control_plane(progress=progress) as plane:
        started = time.monotonic() - began
        tls = ssl.create_default_context(cafile=str(plane.authority))
        tls.load_cert_chain(plane.certificate, plane.key)
        pids = tuple(process.pid for process in plane.processes)
        with _client(plane.kubeconfig) as api:
            yield Server("kube-apiserver", api, started, url=plane.url, tls=tls, pids=pids)


def _wait_until(ready: Callable[[], bool], process: Process) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not ready():
        if not process.alive() or time.monotonic() > deadline:
            raise BenchFailed(process.death() or f"{process.name} is not ready after {_PATIENCE:g} s")
        time.sleep(_GLANCE)


def _client(kubeconfig: Path) -> Any:
    return _kubernetes("config").new_client_from_config(str(kubeconfig))


def _kubernetes(part: str) -> Any:
    with extra("cluster", "measures through the official client"):
        return importlib.import_module(f"kubernetes.{part}")


class _Answer:
    """The part of a urllib3 response that the client uses."""

    __slots__ = ("data", "headers", "reason", "status")

    def __init__(self, reply: Reply) -> None:
        self.status = reply.status
        self.reason = ""
        self.headers = reply.headers
        self.data = reply.raw()

    def release_conn(self) -> None:
        """There is no connection."""


class _Calls:
    """Replaces the client's connection pool, and calls the server."""

    def __init__(self, server: ApiServer) -> None:
        self._server = server

    def request(
        self, method: str, url: str, *, body: str | None = None, headers: Mapping[str, str] = JSON_HEADERS, **_: Any
    ) -> _Answer:
        """As urllib3's PoolManager.request."""
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query)) if parts.query else {}
        content = None if body is None else orjson.loads(body)
        content_type = headers.get("Content-Type", "application/json")
        return _Answer(self._server.handle(Request(method, parts.path, query, content, content_type)))

    def clear(self) -> None:
        """As urllib3's PoolManager.clear: there is nothing to close."""

"""A real Prometheus: `prometheus` and `promtool` on PATH, as Debian's package prometheus installs them."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import orjson

from lockstep.prometheus.openmetrics import to_openmetrics
from lockstep.prometheus.series import Series

_FORM = "application/x-www-form-urlencoded"
_PATIENCE = 60.0  # seconds of real time
PORT = 9090


class RealPrometheus:
    """Asks a server that runs."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, endpoint: str, form: str) -> tuple[int, Any]:
        """Status and JSON of the answer to a form."""
        request = Request(f"{self._url}/api/v1/{endpoint}", form.encode(), {"Content-Type": _FORM})  # noqa: S310
        try:
            with urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310
                return answer.status, orjson.loads(answer.read())
        except HTTPError as error:
            return error.code, orjson.loads(error.read())

    def ready(self) -> bool:
        """Whether it answers."""
        try:
            with urlopen(f"{self._url}/-/ready", timeout=1) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except OSError:
            return False


def blocks(series: list[Series], folder: Path) -> None:
    """Write the data of a server that has measured these series."""
    text, data = folder / "series.txt", folder / "data"
    text.write_text(to_openmetrics(series))
    command = [program("promtool"), "tsdb", "create-blocks-from", "openmetrics", "--quiet", str(text), str(data)]
    subprocess.run(command, check=True, capture_output=True)


def options(folder: Path, address: str) -> list[str]:
    """Those of a server whose data and configuration are in a folder."""
    return [
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        "--storage.tsdb.retention.time=100y",
        f"--web.listen-address={address}",
    ]


def program(name: str) -> str:
    """Where a program is."""
    found = shutil.which(name)
    assert found is not None, f"there is no {name} on PATH: install Debian's package prometheus"
    return found


def wait_for(url: str, log: Callable[[], str], alive: Callable[[], bool] = lambda: True) -> RealPrometheus:
    """The server there, as soon as it is ready."""
    real = RealPrometheus(url)
    deadline = time.monotonic() + _PATIENCE
    while not real.ready():
        assert alive(), log()[-2000:]
        assert time.monotonic() < deadline, f"Prometheus is not ready: {log()[-2000:]}"
        time.sleep(0.1)
    return real


@contextlib.contextmanager
def serving(series: list[Series], folder: Path) -> Iterator[RealPrometheus]:
    """A server with these series."""
    blocks(series, folder)
    (folder / "prometheus.yml").write_text("global: {}\n")
    address = f"127.0.0.1:{_free_port()}"
    log = folder / "log.txt"
    with log.open("wb") as output:
        command = [program("prometheus"), *options(folder, address)]
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            yield wait_for(f"http://{address}", log.read_text, lambda: process.poll() is None)
        finally:
            process.terminate()
            process.wait(_PATIENCE)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

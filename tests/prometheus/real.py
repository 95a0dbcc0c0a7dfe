"""A real Prometheus: `prometheus` and `promtool` on PATH, as Debian's package prometheus installs them."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import orjson

from harness.prometheus.openmetrics import to_openmetrics
from harness.prometheus.series import Series

_FORM = "application/x-www-form-urlencoded"
_PATIENCE = 60.0  # seconds of real time


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


def blocks(series: list[Series], folder: Path) -> Path:
    """The data of a server that has measured these series."""
    text, data = folder / "series.txt", folder / "data"
    text.write_text(to_openmetrics(series))
    promtool = shutil.which("promtool")
    assert promtool is not None, "install Debian's package prometheus, which has promtool"
    command = [promtool, "tsdb", "create-blocks-from", "openmetrics", "--quiet", str(text), str(data)]
    subprocess.run(command, check=True, capture_output=True)
    return data


@contextlib.contextmanager
def serving(series: list[Series], folder: Path) -> Iterator[RealPrometheus]:
    """A server with these series."""
    data = blocks(series, folder)
    config = folder / "prometheus.yml"
    config.write_text("global: {}\n")
    server = shutil.which("prometheus")
    assert server is not None, "install Debian's package prometheus"
    port = _free_port()
    options = [
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        "--storage.tsdb.retention.time=100y",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen([server, *options], stdout=log, stderr=log)
        try:
            real = RealPrometheus(f"http://127.0.0.1:{port}")
            deadline = time.monotonic() + _PATIENCE
            while not real.ready():
                assert process.poll() is None, (folder / "log.txt").read_text()[-2000:]
                assert time.monotonic() < deadline, "Prometheus is not ready"
                time.sleep(0.1)
            yield real
        finally:
            process.terminate()
            process.wait(_PATIENCE)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

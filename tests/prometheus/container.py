"""A real Prometheus in a container of testcontainers. The image is made of the program on PATH, without a registry."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lockstep.prometheus.series import Series
from tests.prometheus.real import PORT, RealPrometheus, blocks, options, program, wait_for

_PROGRAM = "/bin/prometheus"
_LIBRARY = re.compile(r"(/\S+) \(0x")


def _context(folder: Path) -> Path:
    """What `docker build` needs: the program and the libraries that it is linked with, each where it looks for them."""
    root = folder / "image" / "root"
    server = program("prometheus")
    linked = subprocess.run([program("ldd"), server], check=True, capture_output=True, text=True).stdout
    for source, place in [(server, _PROGRAM), *((path, path) for path in _LIBRARY.findall(linked))]:
        target = root / place.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    (root / "tmp").mkdir()
    (root.parent / "Dockerfile").write_text(f'FROM scratch\nCOPY root /\nENTRYPOINT ["{_PROGRAM}"]\n')
    return root.parent


@contextlib.contextmanager
def serving_in_container(series: list[Series], folder: Path) -> Iterator[RealPrometheus]:
    """A server with these series."""
    from testcontainers.core.config import testcontainers_config
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.image import DockerImage
    from testcontainers.core.network import Network

    testcontainers_config.ryuk_disabled = True  # it would be pulled from a registry; the blocks below clean up
    blocks(series, folder)
    (folder / "prometheus.yml").write_text("global: {}\n")
    image = DockerImage(_context(folder), tag="lockstep-prometheus:test")
    with image, Network() as network:
        container = DockerContainer(str(image), user="0").with_network(network).with_exposed_ports(PORT)
        container.with_volume_mapping(str(folder), "/held", "rw").with_command(
            options(Path("/held"), f"0.0.0.0:{PORT}")
        )
        with container:
            url = f"http://127.0.0.1:{container.get_exposed_port(PORT)}"
            yield wait_for(url, lambda: b"".join(container.get_logs()).decode())

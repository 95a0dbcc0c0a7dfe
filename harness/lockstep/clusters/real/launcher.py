"""Starts upstream's programs for the runs of a session, and ends them with it."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lockstep.clusters.control_plane import commands
from lockstep.clusters.control_plane.access import kubeconfig
from lockstep.clusters.control_plane.binaries import provide
from lockstep.clusters.control_plane.certificates import Authority
from lockstep.clusters.control_plane.processes import Process
from lockstep.clusters.control_plane.programs import AUTOSCALERS, MANAGER, Program
from lockstep.clusters.control_plane.starting import free_ports
from lockstep.clusters.real import vpa_flags
from lockstep.clusters.real.callee import Callee

#: The program of each controller that has one of its own; all others are in kube-controller-manager.
_OWN = dict(zip(("vpa-recommender", "vpa-updater", "vpa-admission"), AUTOSCALERS, strict=True))
#: Requests per second of kube-controller-manager: practically unlimited, as in memory.
_OFTEN = 10_000
#: Lets the program choose a free port; it is never used.
_LOOPBACK = "127.0.0.1"
_SOME_PORT = f"{_LOOPBACK}:0"


class Launcher:
    """See the module docstring. Controllers whose programs are `prepare`d can be started."""

    def __init__(self, release: str, progress: Callable[[str], None]) -> None:
        self._release = release
        self._progress = progress
        self._held = ExitStack()
        self._folder = Path()
        self._started = 0
        self._programs: dict[Program, Path] = {}
        self._lock = threading.Lock()
        self._authority: Authority | None = None

    def __enter__(self) -> Self:
        self._folder = Path(self._held.enter_context(tempfile.TemporaryDirectory(prefix="lockstep-programs-")))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._held.close()

    @property
    def used(self) -> bool:
        """Whether any program has been prepared, so that more may be needed."""
        return bool(self._programs)

    def prepare(self, controllers: Iterable[str]) -> None:
        """Find the programs of these controllers, or build them. Raises ControlPlaneFailed and BuildFailed."""
        with self._lock:
            for program in {_OWN.get(name, MANAGER) for name in controllers} - set(self._programs):
                self._programs[program] = provide([program], self._release, self._progress)[program.name].path

    def manager(self, url: str, controllers: Sequence[str], flags: Sequence[str], gates: Mapping[str, bool]) -> Process:
        """Start kube-controller-manager against `url` with these controllers."""
        label, config = self._credentials(MANAGER, url)
        options = commands.Options(feature_gates=gates)
        unlimited = [f"--kube-api-qps={_OFTEN}", f"--kube-api-burst={_OFTEN}", *flags]
        command = commands.kube_controller_manager(self._programs[MANAGER], config, controllers, options, unlimited)
        return Process(label, command, self._log(label))

    def autoscaler(
        self,
        name: str,
        url: str,
        options: Mapping[str, Any],
        gates: Mapping[str, bool],
        more: Sequence[str] = (),
    ) -> Process:
        """Start one part of the VPA against `url`; `more`: flags that are no options."""
        program = _OWN[name]
        label, config = self._credentials(program, url)
        flags = [f"--kubeconfig={config}", f"--address={_SOME_PORT}", *vpa_flags.flags_of(options, gates), *more]
        if name == "vpa-recommender":
            flags.append(f"--prometheus-address={url}/prometheus")
        # a deployment of the VPA sets this variable to its namespace
        variables = {"NAMESPACE": options["namespace"]} if "namespace" in options else {}
        return Process(label, [self._programs[program], *flags], self._log(label), variables=variables)

    def webhook(
        self, name: str, url: str, options: Mapping[str, Any], gates: Mapping[str, bool]
    ) -> tuple[Process, Callee]:
        """Start a part of the VPA that listens, against `url`; also gives what calls it."""
        label = self._label(f"{name}-certificate")
        with self._lock:
            self._authority = self._authority or Authority(self._folder)
            pair = self._authority.server(label, _LOOPBACK)
        (port,) = free_ports(1)
        bundle = self._folder / f"{label}.bundle"
        bundle.write_text(options["ca_bundle"])
        flags = [
            f"--port={port}",
            f"--client-ca-file={bundle}",
            f"--tls-cert-file={pair.certificate}",
            f"--tls-private-key={pair.key}",
        ]
        process = self.autoscaler(name, url, options, gates, flags)
        return process, Callee(f"https://{_LOOPBACK}:{port}", self._authority.certificate)

    def _credentials(self, program: Program, url: str) -> tuple[str, Path]:
        """A name for another process, and its kubeconfig."""
        label = self._label(program.name)
        config = self._folder / f"{label}.kubeconfig"
        config.write_text(kubeconfig(url, None, None))
        return label, config

    def _label(self, name: str) -> str:
        with self._lock:
            self._started += 1
            return f"{name}-{self._started}"

    def _log(self, label: str) -> Path:
        return self._folder / f"{label}.log"

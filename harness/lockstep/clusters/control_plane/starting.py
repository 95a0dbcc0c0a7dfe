"""Starting a control plane: find or build programs, create keys, start etcd and kube-apiserver, wait until ready."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from contextlib import closing, suppress

from lockstep.clusters.control_plane import commands
from lockstep.clusters.control_plane.access import client_of
from lockstep.clusters.control_plane.binaries import Found, provide
from lockstep.clusters.control_plane.building import Progress
from lockstep.clusters.control_plane.commands import Keys, Options
from lockstep.clusters.control_plane.errors import ControlPlaneFailed
from lockstep.clusters.control_plane.folders import Folders
from lockstep.clusters.control_plane.plane import ControlPlane
from lockstep.clusters.control_plane.processes import Process
from lockstep.clusters.control_plane.programs import CORE, PRIMARY, SERVER, STORE
from lockstep.http import Client, NoAnswer
from lockstep.implementations.upstream.errors import BuildFailed

_ATTEMPTS = 3
_GLANCE = 0.05
_TAKEN = "address already in use"


class _PortTaken(Exception):
    """Another process took a port that was free a moment ago."""


def _silent(_: str) -> None:
    """Shows no progress."""


def start_control_plane(
    version: str = PRIMARY, progress: Progress = _silent, options: Options | None = None
) -> ControlPlane:
    """A new control plane of this Kubernetes version, ready for requests. Missing programs are built.

    Raises ControlPlaneFailed, with the path of the logs, if it does not become ready.
    """
    try:
        found = provide(CORE, version, progress)
    except BuildFailed as error:
        raise ControlPlaneFailed(f"a control plane needs its programs: {error}") from error
    for _ in range(_ATTEMPTS):
        with suppress(_PortTaken):
            return _attempt(version, found, options or Options())
    raise ControlPlaneFailed(f"other processes took our free ports {_ATTEMPTS} times; try again")


def _attempt(version: str, found: Mapping[str, Found], options: Options) -> ControlPlane:
    folders = Folders.made()
    processes: list[Process] = []
    try:
        keys = Keys.made_in(folders.run)
        port, store_port, peer_port = free_ports(3)
        url = f"https://127.0.0.1:{port}"
        store = commands.etcd(found[STORE.name].path, folders.data, keys, store_port, peer_port)
        processes.append(Process("etcd", store, folders.logs / "etcd.log", folders=(folders.data, folders.logs)))
        server = commands.kube_apiserver(found[SERVER.name].path, keys, port, store_port, options)
        log = folders.logs / "kube-apiserver.log"
        processes.append(Process("kube-apiserver", server, log, folders=(folders.run,)))
        with closing(client_of(url, keys.authority.certificate, keys.admin)) as client:
            _wait_until_ready(client, processes, folders, options.patience)
        plane = ControlPlane(version, found, folders, keys, url, processes, options)
        plane.store_url = f"https://127.0.0.1:{store_port}"
        return plane
    except BaseException as error:
        for process in reversed(processes):
            process.stop()
        folders.remove(keep_logs=bool(processes) and isinstance(error, ControlPlaneFailed))
        raise


def free_ports(count: int) -> list[int]:
    """Unused ports on loopback. Another process may take them before we do; see _PortTaken."""
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


def _wait_until_ready(client: Client, processes: list[Process], folders: Folders, patience: float) -> None:
    deadline = time.monotonic() + patience
    last = "nothing"
    while True:
        for process in processes:
            _check(process, folders)
        last = _readiness(client)
        if not last:
            return
        if time.monotonic() > deadline:
            raise ControlPlaneFailed(
                f"kube-apiserver is not ready after {patience:g} s; /readyz says: {last}. "
                f"The logs are in {folders.logs}"
            )
        time.sleep(_GLANCE)


def _check(process: Process, folders: Folders) -> None:
    ended = process.death()
    if not ended:
        return
    if _TAKEN in process.tail():
        raise _PortTaken
    raise ControlPlaneFailed(f"the control plane does not start: {ended}. The logs are in {folders.logs}")


def _readiness(client: Client) -> str:
    """Why the server is not ready; "" if it is."""
    try:
        answer = client.request("GET", "/readyz?verbose", patience=5.0)
    except NoAnswer as error:
        return str(error)
    failing = [line for line in answer.text.splitlines() if line.startswith("[-]")]
    return "" if answer.status == 200 else " ".join(failing) or f"{answer.status} {answer.text[:200].strip()}"

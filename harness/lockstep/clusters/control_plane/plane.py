"""A running control plane: etcd and kube-apiserver as processes of ours, and controller managers on request."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lockstep.clusters.control_plane import commands
from lockstep.clusters.control_plane.access import client_of, kubeconfig
from lockstep.clusters.control_plane.binaries import Found
from lockstep.clusters.control_plane.certificates import Pair
from lockstep.clusters.control_plane.commands import Keys, Options
from lockstep.clusters.control_plane.compaction import compact
from lockstep.clusters.control_plane.definitions import apply
from lockstep.clusters.control_plane.errors import ControlPlaneDied, ControlPlaneFailed
from lockstep.clusters.control_plane.folders import Folders
from lockstep.clusters.control_plane.processes import Process
from lockstep.http import NoAnswer

_GLANCE = 0.02


class ControlPlane:
    """A control plane for this run only. Use it as a context manager, or `close` it.

    `version` of Kubernetes; `url` of kube-apiserver (https, on loopback); `kubeconfig`, `certificate` and `key` of a
    user who may do everything; `authority`: the certificate to trust; `logs`: the folder of all logs, which is removed
    at the end unless something went wrong.
    """

    #: Where etcd listens.
    store_url = ""

    def __init__(
        self,
        version: str,
        found: Mapping[str, Found],
        folders: Folders,
        keys: Keys,
        url: str,
        core: Sequence[Process],
        options: Options,
    ) -> None:
        self.version = version
        self.url = url
        self.found = dict(found)
        self.certificate, self.key = keys.admin.certificate, keys.admin.key
        self.authority = keys.authority.certificate
        self.logs = folders.logs
        self.processes = list(core)
        self._folders, self._keys, self._options = folders, keys, options
        self._client = client_of(url, self.authority, keys.admin)
        self._closed = self._keep_logs = False
        self._owner = os.getpid()
        self._started = 0
        self.kubeconfig = self._write_kubeconfig("admin", url, secure=True)
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- controllers --------------------------------------------------------------------------------------------------

    def start_controller_manager(
        self, controllers: Sequence[str], *, server_url: str | None = None, flags: Sequence[str] = ()
    ) -> Process:
        """Start kube-controller-manager with these controllers only ("replicaset-controller", ...).

        `server_url`: a server to use in place of kube-apiserver, such as a proxy of ours, over plain HTTP and without
        credentials. `flags` are added to ours. When this returns, the process has started; its caches may not have
        synced. Stopping it is not a failure. If it ends by itself, `check` raises that.
        """
        self.check()
        label = self._next_label("kube-controller-manager")
        config = self.kubeconfig if server_url is None else self._write_kubeconfig(label, server_url, secure=False)
        program = self.found["kube-controller-manager"].path
        command = commands.kube_controller_manager(program, config, controllers, self._options, flags)
        return self._start(label, command)

    def start_program(self, name: str, path: Path, flags: Sequence[str]) -> Process:
        """Start another program under guard, such as one of the VPA's. It ends with the control plane."""
        self.check()
        return self._start(self._next_label(name), [str(path), *flags])

    def _start(self, label: str, command: Sequence[str]) -> Process:
        process = Process(label, command, self.logs / f"{label}.log")
        self.processes.append(process)
        return process

    def _next_label(self, name: str) -> str:
        self._started += 1
        return f"{name}-{self._started}"

    def _write_kubeconfig(self, name: str, url: str, *, secure: bool) -> Path:
        path = self._folders.run / f"{name}.kubeconfig"
        path.touch(0o600)
        path.write_text(kubeconfig(url, self.authority if secure else None, self._keys.admin if secure else None))
        return path

    def issue(self, *names: str) -> Pair:
        """A certificate for a server with these names, which the API server trusts.

        kube-apiserver calls the server of an APIService or a webhook SERVICE.NAMESPACE.svc, wherever it listens.
        """
        return self._keys.authority.server(self._next_label("server"), *names)

    # -- life and death -----------------------------------------------------------------------------------------------

    def alive(self) -> bool:
        """Whether every process runs that was not stopped."""
        return not self.death()

    def death(self) -> str:
        """One line: which process died, how, the last lines of its log and its path; "" while all is well.

        If several died, this is about the one that was started first, because the others depend on it.
        """
        for process in self.processes:
            if ended := process.death():
                self._keep_logs = True
                return f"{ended}. Its whole log is {process.log}"
        return ""

    def check(self) -> None:
        """Raise ControlPlaneDied if a process has died."""
        if ended := self.death():
            raise ControlPlaneDied(f"the control plane has failed: {ended}")

    def keep_logs(self) -> Path:
        """Keep the logs when this ends, because something failed elsewhere. Returns their folder."""
        self._keep_logs = True
        return self.logs

    def close(self) -> None:
        """Kill all processes and remove their files. Logs are kept if one has died. A second call has no effect.

        Nor has a call in a fork of the process that started them.
        """
        if self._closed or os.getpid() != self._owner:
            return
        self._closed = True
        atexit.unregister(self.close)
        self.death()  # records whether one has died
        self._client.close()
        for process in reversed(self.processes):
            process.hang_up()
        for process in self.processes:
            process.stop()
        self._folders.remove(keep_logs=self._keep_logs)

    def compact(self) -> None:
        """Have etcd discard all revisions but the current one, as it does by itself every few minutes.

        Raises ControlPlaneFailed. kube-apiserver may show what it has cached for a while longer.
        """
        _, listed = self.request("GET", "/api/v1/namespaces?limit=1")
        compact(self.store_url, self.authority, self._keys.store, int(listed["metadata"]["resourceVersion"]))

    # -- objects ------------------------------------------------------------------------------------------------------

    def request(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> tuple[int, Any]:
        """Status and parsed answer of one request as the administrator.

        Raises ControlPlaneDied, or ControlPlaneFailed if it gets no answer for another reason.
        """
        try:
            answer = self._client.request(method, path, body, content_type)
        except NoAnswer as error:
            self._wait_for_death()
            raise ControlPlaneFailed(f"kube-apiserver cannot be asked: {error}") from error
        return answer.status, answer.data

    def _wait_for_death(self) -> None:
        """Wait a moment: a process's connections break shortly before its end can be seen."""
        deadline = time.monotonic() + 1.0
        while time.monotonic() < deadline:
            self.check()
            time.sleep(_GLANCE)

    def apply(self, definitions: Sequence[Mapping[str, Any]]) -> None:
        """Create or update these CustomResourceDefinitions, and wait until their kinds can be used."""
        apply(definitions, self.request)

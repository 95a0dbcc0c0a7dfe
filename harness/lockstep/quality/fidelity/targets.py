"""The servers that scenarios run on.

| name | what | one for | |---|---|---| | `memory` | the in-memory server in this process | each scenario | | `http` |
the same, served | all | | `control-plane` | a real kube-apiserver, started and ended here | all | | `kubeconfig=FILE` |
the cluster that the file's current context names | all; created objects are deleted |
"""

from __future__ import annotations

import itertools
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.http import Server, connect
from lockstep.quality.fidelity.http import HttpTransport
from lockstep.quality.fidelity.memory import MemoryTransport
from lockstep.quality.fidelity.recordings import RELEASE
from lockstep.quality.fidelity.wire import Call, FidelityError, Transport

if TYPE_CHECKING:
    from lockstep.clusters.control_plane import ControlPlane

_COMPACTED_AFTER, _GLANCE = 40.0, 0.1
NAMES = ("memory", "http", "control-plane")
_KUBECONFIG = "kubeconfig="


@dataclass(slots=True)
class Target:
    """A server to run scenarios on."""

    name: str
    #: The transport for one run.
    transport: Callable[[], Transport]
    #: Whether it speaks HTTP.
    http: bool = True
    #: Whether it is a real kube-apiserver.
    real: bool = False
    #: Whether others use the server, so that created objects have to be deleted.
    shared: bool = False
    _count: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def next_token(self) -> str:
        """A name for one run, of the same length for all."""
        return f"t{secrets.token_hex(3)}" if self.shared else f"t{next(self._count):06d}"

    def version(self) -> str:
        """The server's version, as it reports it."""
        answer = self.transport().send(Call("GET", "/version"))
        return str(answer.body.get("gitVersion", "")) if isinstance(answer.body, dict) else ""


@contextmanager
def open_target(name: str, note: Callable[[str], object], *, quiet: float = 0.2) -> Iterator[Target]:
    """Start or find a target for the duration of the block. Raises FidelityError for an unknown name.

    `quiet`: seconds without an event after which a watch of a control plane counts as complete.
    """
    with ExitStack() as stack:
        if name == "memory":
            yield Target(name, MemoryTransport, http=False)
        elif name == "http":
            yield _served(stack)
        elif name == "control-plane":
            yield _control_plane(stack, note, quiet)
        elif name.startswith(_KUBECONFIG):
            yield _existing(name.removeprefix(_KUBECONFIG), stack)
        else:
            raise FidelityError(f"there is no target {name!r}; name {', '.join(NAMES)} or {_KUBECONFIG}FILE")


def _served(stack: ExitStack) -> Target:
    from lockstep.serving.background import KubeApi
    from lockstep.serving.simulation import Setup

    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lockstep-fidelity-"))
    served = stack.enter_context(KubeApi(Path(folder), Setup(kubelet=False)))
    transport = HttpTransport(connect(Server(served.url)), served.compact, quiet=0.05)
    stack.callback(transport.close)
    return Target("http", lambda: transport)


def _control_plane(stack: ExitStack, note: Callable[[str], object], quiet: float) -> Target:
    from lockstep.clusters.control_plane import start_control_plane

    plane = stack.enter_context(start_control_plane(RELEASE, lambda text: (note(text), None)[1]))
    server = Server(plane.url, str(plane.authority), str(plane.certificate), str(plane.key))
    transport = HttpTransport(connect(server), lambda: _compact(plane, transport), quiet=quiet)
    stack.callback(transport.close)
    return Target("control-plane", lambda: transport, real=True)


def _compact(plane: ControlPlane, transport: HttpTransport) -> None:
    """Compact, and wait until kube-apiserver has dropped its cache: it checks every 15 s."""
    path = "/api/v1/namespaces/default/configmaps"
    before = transport.send(Call("GET", path)).body["metadata"]["resourceVersion"]
    plane.request("POST", path, {"metadata": {"generateName": "lockstep-"}})
    plane.compact()
    deadline = time.monotonic() + _COMPACTED_AFTER
    while transport.send(Call("GET", f"{path}?resourceVersion={before}&resourceVersionMatch=Exact")).code != 410:
        if time.monotonic() > deadline:
            raise FidelityError(f"kube-apiserver still shows versions that were compacted {_COMPACTED_AFTER:g} s ago")
        time.sleep(_GLANCE)


def _existing(path: str, stack: ExitStack) -> Target:
    from lockstep.clusters.real.connection import client_of

    transport = HttpTransport(client_of(Path(path)))
    stack.callback(transport.close)
    return Target("kubeconfig", lambda: transport, real=True, shared=True)

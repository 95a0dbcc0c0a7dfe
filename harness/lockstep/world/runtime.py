"""One pod on its node, as the container runtime knows it: which containers run, and whether they are ready.

The kubelet changes this first and reports it afterwards (`pod_status`), so that several changes of one instant make one
write.
"""

from __future__ import annotations

from typing import Any

from lockstep.world.api import Object
from lockstep.world.canonical import StateKey, state_key
from lockstep.world.nodes import Node

_KILLED = 143  # 128 + SIGTERM


class Container:
    """One container: its current and last state in wire form."""

    __slots__ = (
        "allocated", "image", "killed", "last", "name", "ready", "resources", "restarting_resources", "restarts",
        "sidecar", "state",
    )  # fmt: skip

    def __init__(self, spec: Object) -> None:
        self.name: str = spec["name"]
        self.image: str = spec.get("image", "")
        self.sidecar = spec.get("restartPolicy") == "Always"
        self.state: Object = {"waiting": {"reason": "ContainerCreating"}}
        self.last: Object = {}
        #: Its last termination.
        self.killed: Object = {}
        self.ready = False
        self.restarts = 0
        #: What the node has allocated for it, and what it actually has.
        self.allocated: Object = spec.get("resources") or {}
        self.resources = self.allocated
        #: Resources whose change requires a restart.
        self.restarting_resources = frozenset(
            one["resourceName"]
            for one in spec.get("resizePolicy") or ()
            if one.get("restartPolicy") == "RestartContainer"
        )

    def run(self, now: str) -> None:
        """Start, or start again."""
        self.state = {"running": {"startedAt": now}}

    def exit(self, code: int, now: str, reason: str = "") -> None:
        """End, unless it has ended; one that never ran leaves no exit code but counts as failed."""
        running = self.state.get("running")
        if running is not None:
            why = reason or ("Error" if code else "Completed")
            times = {"startedAt": running["startedAt"], "finishedAt": now}
            self.state = self.killed = {"terminated": {"exitCode": code, "reason": why, **times}}
        self.ready = False

    def wait(self, why: Object) -> None:
        """Wait for the next start after an end."""
        self.last = self.killed
        self.state = {"waiting": why}


class PodRuntime:
    """One pod on its node. No step has an effect once the pod has ended."""

    __slots__ = (
        "_key", "_key_of", "containers", "disrupted", "done", "had_ready", "init_containers", "message", "node",
        "phase", "pod", "ready_again_at", "reason", "rejected", "removed", "resize_in_progress", "resize_pending",
        "stop_at", "uid",
    )  # fmt: skip

    def __init__(self, pod: Object, node: Node) -> None:
        spec: dict[str, Any] = pod["spec"]
        self.uid: str = pod["metadata"]["uid"]
        #: The pod as last seen.
        self.pod = pod
        self.node = node
        self.containers = [Container(one) for one in spec["containers"]]
        self.init_containers = [Container(one) for one in spec.get("initContainers") or ()]
        self.phase = "Pending"
        self.reason = self.message = ""
        self.rejected = False
        #: How many steps of its cohort's timeline it has taken.
        self.done = 0
        #: Whether it has been ready before.
        self.had_ready = False
        #: Instant at which the containers end because the pod is being deleted; None while it is not.
        self.stop_at: int | None = None
        #: Instant at which restarted containers are ready again, or None.
        self.ready_again_at: int | None = None
        #: Reason, message and generation of a resize that is pending or in progress.
        self.resize_pending: tuple[str, str, int] | None = None
        self.resize_in_progress: tuple[str, str, int] | None = None
        #: Why its kubelet has evicted it, "" if it has not.
        self.disrupted = ""
        #: Whether the kubelet has asked the API server to remove the pod.
        self.removed = False
        self._key_of: Object | None = None
        self._key: StateKey = ()

    @property
    def ended(self) -> bool:
        """Whether it has failed or succeeded."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def running(self) -> bool:
        """Whether its containers have started and it has not ended."""
        return self.phase == "Running"

    def key(self) -> StateKey:
        """The observable state as last seen."""
        if self._key_of is not self.pod:
            self._key_of, self._key = self.pod, state_key(self.pod)
        return self._key

    def start(self, now: str) -> None:
        """Init containers have completed, sidecars and containers run; nothing but the sidecars is ready."""
        if self.phase != "Pending":
            return
        self.phase = "Running"
        for container in self.init_containers:
            container.run(now)
            if not container.sidecar:
                container.exit(0, now)
            container.ready = True
        for container in self.containers:
            container.run(now)

    def set_ready(self, ready: bool) -> None:
        """Set the result of all containers' readiness probes."""
        if self.running:
            self.had_ready = self.had_ready or ready
            for container in self.long_running():
                container.ready = ready and "running" in container.state

    def restart(self, name: str | None, now: str) -> bool:
        """The container of that name (default: the first) fails and runs again, not ready. True if it was ready."""
        if not self.running:
            return False
        container = self.container(name)
        if "running" not in container.state:
            return False
        was_ready = container.ready
        container.exit(1, now)
        container.last = container.state
        container.restarts += 1
        container.run(now)
        return was_ready

    def container(self, name: str | None) -> Container:
        """The long-running container of that name (default: the first). Raises ValueError if there is none."""
        everyone = self.long_running()
        found = next((one for one in everyone if name in (None, one.name)), None)
        if found is None:
            known = ", ".join(one.name for one in everyone)
            raise ValueError(f"pod {self.pod['metadata']['name']} has no container {name!r} to restart; it has {known}")
        return found

    @property
    def restarts_containers(self) -> bool:
        """Whether containers that fail are started again (restartPolicy Always or OnFailure)."""
        return bool(self.pod["spec"].get("restartPolicy") != "Never")

    def end_if_all_ended(self) -> None:
        """Where containers are not restarted, the pod ends when all of them have ended (getPhase)."""
        ended = [one.state["terminated"] for one in self.containers if "terminated" in one.state]
        if len(ended) == len(self.containers):
            self.phase = "Failed" if any(one["exitCode"] for one in ended) else "Succeeded"

    def long_running(self) -> list[Container]:
        """The containers that are meant to run until the pod ends."""
        return [*self.containers, *(one for one in self.init_containers if one.sidecar)]

    # -- resources ----------------------------------------------------------------------------------------------------

    def _asked(self) -> dict[str, Object]:
        spec = self.pod["spec"]
        everyone = (*spec["containers"], *(spec.get("initContainers") or ()))
        return {one["name"]: one.get("resources") or {} for one in everyone}

    def has_what_it_asks_for(self) -> bool:
        """Whether the containers have all that the spec asks for."""
        asked = self._asked()
        everyone = (*self.containers, *self.init_containers)
        return all(one.allocated == one.resources == asked[one.name] for one in everyone)

    def allocate(self) -> None:
        """Allocate what the spec asks for."""
        asked = self._asked()
        for one in (*self.containers, *self.init_containers):
            one.allocated = asked[one.name]

    def take_resources(self) -> None:
        """The containers have what the spec asks for, because they have not started yet."""
        self.allocate()
        for one in (*self.containers, *self.init_containers):
            one.resources = one.allocated

    # -- ends ---------------------------------------------------------------------------------------------------------

    def end(self, code: int, now: str, reason: str = "", message: str = "") -> None:
        """All containers end with this exit code, and the pod with them."""
        if self.ended:
            return
        self.phase = "Failed" if code else "Succeeded"
        self.reason, self.message = reason, message
        for container in (*self.containers, *self.init_containers):
            container.exit(code, now)

    def stop(self, now: str) -> None:
        """End the containers, because the pod is being deleted. A container that never ran ends as failed."""
        self.end(0 if self.running else _KILLED, now)

    def reject(self, reason: str) -> None:
        """The kubelet does not admit the pod (`rejectPod`)."""
        if self.phase == "Pending":
            self.rejected = True
            self.phase, self.reason = "Failed", reason
            self.message = f"Pod was rejected: {reason}"

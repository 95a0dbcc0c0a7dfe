"""The kubelets of all nodes: they run bound pods through their lifecycles and report their status.

Like a real kubelet, this one changes the pod in its container runtime first and reports the status afterwards, so that
all changes of one instant make one write. It does not report ContainerCreating for pods that will start. Deleted pods
end after their grace period at the latest; then the kubelet reports the end and removes the pod.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from lockstep.time.clock import seconds
from lockstep.time.loop import VirtualLoop
from lockstep.wire.pods import is_finished
from lockstep.world.agenda import Agenda
from lockstep.world.api import Api, Object, pod_path
from lockstep.world.canonical import pick
from lockstep.world.census import Census
from lockstep.world.cohort import Cohort
from lockstep.world.crashes import Crashes
from lockstep.world.evictions import EVICTED, eviction_of
from lockstep.world.groups import GroupKey, Groups
from lockstep.world.lifecycle import Lifecycles
from lockstep.world.node_monitor import NodeMonitor
from lockstep.world.nodes import Nodes
from lockstep.world.pod_status import generate_status
from lockstep.world.resizes import Resize, Resizes
from lockstep.world.runtime import Container, PodRuntime

_KILLED, _TERMINATED = 137, 143


class Kubelet:
    """All kubelets in one. `lifecycles` decides what happens to the pods; the other methods act on a pod at once.

    Pass pods as stored objects. Choose among equal ones with `pick`, never by name.
    """

    pick = staticmethod(pick)

    def __init__(
        self, loop: VirtualLoop, api: Api, nodes: Nodes, census: Census, monitor: NodeMonitor, seed: int
    ) -> None:
        self.lifecycles = Lifecycles()
        #: The random numbers of this run, to pass to `Seeded`.
        self.rng = random.Random(seed)
        self._monitor = monitor
        self._loop = loop
        self._api = api
        self._nodes = nodes
        self._census = census
        self._agenda: Agenda[Cohort | PodRuntime] = Agenda(loop, self._act, _can_matter)
        self._pods: dict[str, PodRuntime] = {}
        self._cohorts: dict[str, Cohort] = {}  # uid of a pod -> its cohort
        self._open: dict[GroupKey, Cohort] = {}  # cohorts of the present instant
        self._open_at = -1
        self._unplanned: dict[Cohort, None] = {}
        self._groups = Groups()
        self._crashes = Crashes(lambda: loop.now, self._agenda.add, self._clock)
        self._resizes = Resizes(lambda: loop.now, self._agenda.add, self._restart_resized)
        #: How resizes go from now on; None: as the lifecycle of a pod says.
        self.resizing: Resize | None = None

    # -- what scenarios do --------------------------------------------------------------------------------------------

    def fail(self, pod: Object, reason: str = "", message: str = "") -> None:
        """The pod ends in phase Failed. Raises ValueError if no kubelet has it."""
        self._change(pod, lambda one, clock: one.end(1, clock, reason, message))

    def succeed(self, pod: Object) -> None:
        """The pod ends in phase Succeeded. Raises ValueError if no kubelet has it."""
        self._change(pod, lambda one, clock: one.end(0, clock))

    def restart(self, pod: Object, container: str | None = None) -> None:
        """A container (default: the first) fails and starts again.

        If it was ready, it is ready again after the lifecycle's `restart_for` seconds. Raises ValueError if the pod
        does not run, or has no such container.
        """
        runtime = self._running(pod)
        after = seconds(self._cohorts[runtime.uid].lifecycle.restart_for)

        def act(one: PodRuntime, clock: str) -> None:
            if one.restart(container, clock):
                one.ready_again_at = self._loop.now + after
                self._agenda.add(one.ready_again_at, one)

        self._change(pod, act)

    def oom_kill(self, pod: Object, container: str | None = None, *, down: float | None = None) -> None:
        """A container (default: the first) runs out of memory and is killed (exit code 137, reason OOMKilled).

        It runs again after `down` seconds. With 0, no report shows it down: it runs, with one restart more. With None,
        it runs again after 1 s, or after a back-off of 10 s and more (state CrashLoopBackOff) if it has been killed
        lately. It is ready again after the lifecycle's `restart_for` seconds. With restartPolicy Never it stays down,
        and the pod fails with its last container. Raises ValueError if the pod does not run, or has no such container.
        """
        runtime = self._running(pod)
        after = seconds(self._cohorts[runtime.uid].lifecycle.restart_for)
        self._change(pod, lambda one, _: self._crashes.kill(one, container, down, after))

    def retry_resize(self, pod: Object) -> None:
        """The kubelet considers a pod's resize again, as it does when room appears on the node.

        Raises ValueError if no kubelet has the pod.
        """
        self._consider_resize(self._runtime(pod))

    def evict(self, pod: Object, usage: Mapping[str, int | str], resource: str = "memory") -> None:
        """The node is short of a resource, and its kubelet ends the pod (phase Failed, reason Evicted, an event).

        `usage`: what each container uses, in bytes or as a quantity. Raises ValueError if no kubelet has the pod.
        """
        runtime = self._runtime(pod)
        live = self._api.find("pods", pod["metadata"]["namespace"], pod["metadata"]["name"]) or pod
        eviction = eviction_of(live, resource, usage)
        self._api.write("POST", *eviction.event(live, runtime.node.name, self._loop.now))
        runtime.disrupted = eviction.message
        self._change(pod, lambda one, clock: one.end(_KILLED, clock, EVICTED, eviction.message))

    def set_ready(self, pod: Object, ready: bool) -> None:
        """The readiness probes of the pod's containers change their result. Raises ValueError if it does not run."""
        self._running(pod)
        self._change(pod, lambda one, _: one.set_ready(ready))

    def lose_node(self, node: str) -> None:
        """The kubelet of `node` falls silent; after a grace period the control plane notices (see `NodeMonitor`)."""
        self._monitor.lose(node)

    def recover_node(self, node: str) -> None:
        """The kubelet of a lost node is back and catches up."""
        self._monitor.recover(node)
        for runtime in self._pods.values():
            if runtime.node.name == node:
                self._agenda.add(self._loop.now, runtime)
                self._consider_resize(runtime)
                for instant in (runtime.stop_at, runtime.ready_again_at):
                    if instant is not None:
                        self._agenda.add(instant, runtime)
                self._unplanned[self._cohorts[runtime.uid]] = None
        self._plan()

    # -- for the rest of the world
    # ------------------------------------------------------------------------------------------

    def next_due(self) -> int | None:
        """The instant of the next planned step, or None."""
        due = [self._loop.now if self._unplanned else None, self._agenda.next_due(), self._monitor.next_due()]
        return min((one for one in due if one is not None), default=None)

    def observe(self, kind: str, pod: Object) -> None:
        """Handler of the pods' feed."""
        uid = pod["metadata"]["uid"]
        runtime = self._pods.get(uid)
        if kind == "DELETED":
            self._forget(uid)
        elif runtime is not None:
            before, runtime.pod = runtime.pod, pod
            if pod["spec"] is not before["spec"]:
                self._consider_resize(runtime)
            self._notice_writes_of_others(runtime)
        else:
            self._groups.note(pod, self._loop.moment)
            if pod["spec"].get("nodeName") and not is_finished(pod):
                runtime = self._admit(pod)
        if runtime is not None and "deletionTimestamp" in pod["metadata"] and kind != "DELETED":
            self._terminate(runtime)

    def _consider_resize(self, runtime: PodRuntime) -> None:
        if runtime.node.lost:
            return
        resize = self.resizing or self._cohorts[runtime.uid].lifecycle.resize
        if self._resizes.consider(runtime, resize):
            self._agenda.add(self._loop.now, runtime)

    def _restart_resized(self, one: PodRuntime, container: Container) -> None:
        after = seconds(self._cohorts[one.uid].lifecycle.restart_for)
        self._crashes.kill(one, container.name, 0, after, (_TERMINATED, "Error"))

    # -- cohorts ------------------------------------------------------------------------------------------------------

    def _admit(self, pod: Object) -> PodRuntime:
        uid, now, moment = pod["metadata"]["uid"], self._loop.now, self._loop.moment
        if self._open_at != moment:
            self._open_at, self._open = moment, {}
        key = self._groups.key(uid)
        cohort = self._open.get(key)
        if cohort is None:
            group = self._groups.describe(pod)
            source = self.lifecycles.source(group)
            cohort = self._open[key] = Cohort(group, source, now, self._clock, self._ranks, self._crashes)
        runtime = self._pods[uid] = PodRuntime(pod, self._nodes[pod["spec"]["nodeName"]])
        self._cohorts[uid] = cohort
        cohort.join(runtime)
        if not self._unplanned:
            self._loop.world_at(now, self._plan)
        self._unplanned[cohort] = None
        return runtime

    def _plan(self) -> None:
        cohorts, self._unplanned = self._unplanned, {}
        for cohort in cohorts:
            for instant in cohort.plan():
                self._agenda.add(instant, cohort)

    def _forget(self, uid: str) -> None:
        self._groups.forget(uid)
        runtime = self._pods.pop(uid, None)
        if runtime is not None:
            runtime.removed = True
            self._crashes.forget(uid)
            self._resizes.forget(uid)
            del self._cohorts.pop(uid).members[uid]

    def _notice_writes_of_others(self, one: PodRuntime) -> None:
        """Another writer may have set a readiness gate, or ended the pod: a finished pod never runs again."""
        status = one.pod["status"]
        ended = is_finished(one.pod) and not one.ended
        if ended:
            code = 1 if status["phase"] == "Failed" else 0
            one.end(code, self._clock(one), status.get("reason", ""), status.get("message", ""))
        if ended or one.pod["spec"].get("readinessGates"):
            self._agenda.add(self._loop.now, one)

    # -- acting -------------------------------------------------------------------------------------------------------

    def _terminate(self, runtime: PodRuntime) -> None:
        """The pod is being deleted: plan its end, or bring it forward if the grace period was shortened."""
        grace = runtime.pod["metadata"].get("deletionGracePeriodSeconds", 0)
        stop_after = self._cohorts[runtime.uid].lifecycle.stop_after
        wait = grace if stop_after is None else min(grace, stop_after)
        stop_at = self._loop.now + (seconds(wait) if runtime.running else 0)
        if runtime.stop_at is None or stop_at < runtime.stop_at:
            runtime.stop_at = stop_at
            self._agenda.add(stop_at, runtime)

    def _act(self, items: list[Cohort | PodRuntime]) -> None:
        changed: dict[str, PodRuntime] = {}
        for item in dict.fromkeys(items):
            if isinstance(item, PodRuntime):
                self._advance(item)
                changed[item.uid] = item
            else:
                changed.update((one.uid, one) for one in item.advance(self._loop.now))
        for uid in sorted(changed):
            self._report(changed[uid])

    def _advance(self, one: PodRuntime) -> None:
        now = self._loop.now
        if one.removed or one.node.lost:
            return
        self._crashes.advance(one)
        self._resizes.advance(one)
        if one.ready_again_at is not None and one.ready_again_at <= now:
            one.ready_again_at = None
            one.set_ready(True)
        if one.stop_at is not None and one.stop_at <= now:
            one.stop(self._clock(one))

    def _report(self, one: PodRuntime) -> None:
        """Write the status if it changed; remove the pod if it has ended and is being deleted."""
        if one.removed or one.node.lost:
            return
        meta = one.pod["metadata"]
        pod = self._api.find("pods", meta["namespace"], meta["name"])
        if pod is None or pod["metadata"]["uid"] != one.uid:
            return
        status = generate_status(pod, one, self._clock(one))
        old = pod["status"]
        if {**old, **status} != old:
            self._api.report(pod_path(pod, "status"), {"metadata": {"uid": one.uid}, "status": status})
        if one.ended and "deletionTimestamp" in pod["metadata"]:
            one.removed = True
            options = {"gracePeriodSeconds": 0, "preconditions": {"uid": one.uid}}
            self._api.write("DELETE", pod_path(pod), {"kind": "DeleteOptions", "apiVersion": "v1", **options})

    def _change(self, pod: Object, act: Callable[[PodRuntime, str], None]) -> None:
        runtime = self._runtime(pod)
        act(runtime, self._clock(runtime))
        self._report(runtime)

    def _runtime(self, pod: Object) -> PodRuntime:
        meta = pod["metadata"]
        runtime = self._pods.get(meta["uid"])
        if runtime is None or runtime.removed:
            node = pod["spec"].get("nodeName")
            reason = "it is gone or has ended" if node else "it is not bound to a node"
            raise ValueError(f"no kubelet has pod {meta['name']}: {reason}; advance the time, or choose another pod")
        if runtime.node.lost:
            raise ValueError(f"node {runtime.node.name} is lost: recover it before acting on its pod {meta['name']}")
        return runtime

    def _running(self, pod: Object) -> PodRuntime:
        runtime = self._runtime(pod)
        if not runtime.running:
            name = pod["metadata"]["name"]
            raise ValueError(f"pod {name} is not running, it is {runtime.phase}; let it start, or choose another pod")
        return runtime

    def _clock(self, one: PodRuntime) -> str:
        return self._nodes.wall_clock(one.node)

    def _ranks(self, one: PodRuntime) -> Mapping[str, int]:
        return self._census.ranks(self._census.workload(one.pod))


def _can_matter(item: Cohort | PodRuntime) -> bool:
    if isinstance(item, Cohort):
        return item.live()
    return not item.removed and not item.node.lost

"""Real processes that are killed: one clear line, nothing left behind, and the next start works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lockstep.clusters.control_plane import ControlPlane, ControlPlaneDied, Process, start_control_plane
from tests.processes import until

pytestmark = pytest.mark.control_plane


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it ends while we read
        return False


def _victim(plane: ControlPlane, name: str) -> Process:
    if name == "kube-controller-manager":
        return plane.start_controller_manager(["replicaset-controller"])
    return next(one for one in plane.processes if one.name == name)


@pytest.mark.parametrize("name", ["etcd", "kube-apiserver", "kube-controller-manager"])
def test_a_killed_process_is_named_and_its_log_kept(name: str) -> None:
    with start_control_plane() as plane:
        victim = _victim(plane, name)
        pids = [one.pid for one in plane.processes]
        folders = [plane.kubeconfig.parent, plane._folders.data]
        assert plane.alive()
        plane.check()
        os.kill(victim.pid, signal.SIGKILL)
        until(lambda: not plane.alive(), "its death", 20)
        with pytest.raises(ControlPlaneDied) as died:
            plane.check()
        line = str(died.value)
        assert line.startswith(
            f"the control plane has failed: {victim.name} was killed by signal 9 (SIGKILL); its last"
        )
        assert "\n" not in line
        assert line.endswith(f"Its whole log is {victim.log}")
    assert victim.log.is_file()
    assert not any(map(_running, pids))
    assert not any(folder.exists() for folder in folders)
    with start_control_plane() as again:
        assert again.alive()
    assert not again.logs.exists()


def test_a_request_to_a_server_that_was_killed_says_who_died() -> None:
    with start_control_plane() as plane:
        os.kill(_victim(plane, "kube-apiserver").pid, signal.SIGKILL)
        with pytest.raises(ControlPlaneDied, match="kube-apiserver was killed by signal 9"):
            plane.request("GET", "/api")
        with pytest.raises(ControlPlaneDied, match="kube-apiserver was killed by signal 9"):
            plane.start_controller_manager(["replicaset-controller"])


def test_a_fork_that_ends_leaves_it_alone() -> None:
    with start_control_plane() as plane:
        fork = os.fork()
        if not fork:
            plane.close()
            os._exit(0)
        os.waitpid(fork, 0)
        assert plane.request("GET", "/readyz") == (200, "ok")
        assert plane.kubeconfig.is_file()


_OWNER = """
import sys, time
from lockstep.clusters.control_plane import start_control_plane
plane = start_control_plane()
plane.start_controller_manager(["replicaset-controller"])
print(*(one.pid for one in plane.processes), plane.kubeconfig.parent, plane._folders.data, plane.logs, flush=True)
{then}
"""


@pytest.mark.parametrize(
    ("then", "by"),
    [("time.sleep(100)", signal.SIGKILL), ("time.sleep(100)", signal.SIGTERM), ("sys.exit(0)", None)],
    ids=["kill -9", "terminated", "forgotten"],
)
def test_nothing_outlives_us_however_we_end(then: str, by: signal.Signals | None) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", _OWNER.format(then=then)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert owner.stdout is not None
    with owner:
        *pids, run, data, logs = owner.stdout.readline().split()
        assert len(pids) == 3
        if by is not None:
            assert all(_running(int(pid)) for pid in pids)
            owner.send_signal(by)
        owner.wait(30)
    until(lambda: not any(_running(int(pid)) for pid in pids), "the end of all processes", 20)
    until(lambda: not any(Path(folder).exists() for folder in (run, data, logs)), "the end of all folders", 20)

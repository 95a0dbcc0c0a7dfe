"""etcd, kube-apiserver and kube-controller-manager as real processes on this machine, without containers."""

from __future__ import annotations

from harness.control_plane.commands import Options
from harness.control_plane.errors import ControlPlaneDied, ControlPlaneFailed
from harness.control_plane.plane import ControlPlane
from harness.control_plane.processes import Process
from harness.control_plane.starting import start_control_plane

__all__ = ["ControlPlane", "ControlPlaneDied", "ControlPlaneFailed", "Options", "Process", "start_control_plane"]

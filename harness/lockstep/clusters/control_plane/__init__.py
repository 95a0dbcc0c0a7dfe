"""etcd, kube-apiserver and kube-controller-manager as real processes on this machine, without containers."""

from __future__ import annotations

from lockstep.clusters.control_plane.commands import Options
from lockstep.clusters.control_plane.errors import ControlPlaneDied, ControlPlaneFailed
from lockstep.clusters.control_plane.plane import ControlPlane
from lockstep.clusters.control_plane.processes import Process
from lockstep.clusters.control_plane.starting import start_control_plane

__all__ = ["ControlPlane", "ControlPlaneDied", "ControlPlaneFailed", "Options", "Process", "start_control_plane"]

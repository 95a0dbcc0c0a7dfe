"""The configuration that kind starts a cluster from: one node, our mark on it, and controllers that shall not run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

#: Where a node of ours shows an empty folder of the machine that started it. Docker tells of it, whatever else fails.
MARK = "/kind/lockstep-mark"
#: What kubeadm has on beyond the controllers that are on by default.
_KUBEADMS = ("*", "bootstrap-signer-controller", "token-cleaner-controller")
#: What the cluster holds need not outlive a power failure, and waiting for the disk makes it late.
_ETCD = {"unsafe-no-fsync": "true"}


#: Flags of a program, without the dashes.
Flags = Mapping[str, str]
NO_FLAGS: Flags = MappingProxyType({})


def render(mark: Path, controllers_off: Sequence[str] = (), flags: Flags = NO_FLAGS) -> str:
    """The configuration as YAML. `mark`: the folder to show in the node.

    `controllers_off`: controllers of kube-controller-manager, by the names that its --controllers takes, such as
    replicaset-controller. `flags`: more flags of kube-controller-manager.
    """
    shown = {"hostPath": str(mark), "containerPath": MARK, "readOnly": True}
    config = {
        "apiVersion": "kind.x-k8s.io/v1alpha4",
        "kind": "Cluster",
        "nodes": [{"role": "control-plane", "extraMounts": [shown]}],
    }
    arguments = dict(flags)
    if controllers_off:
        arguments["controllers"] = ",".join((*_KUBEADMS, *(f"-{name}" for name in controllers_off)))
    # As maps and without a version, this fits every version of kubeadm's configuration that kind writes.
    patch: dict[str, Any] = {"kind": "ClusterConfiguration", "etcd": {"local": {"extraArgs": dict(_ETCD)}}}
    if arguments:
        patch["controllerManager"] = {"extraArgs": arguments}
    config["kubeadmConfigPatches"] = [yaml.safe_dump(patch, sort_keys=False)]
    return yaml.safe_dump(config, sort_keys=False)

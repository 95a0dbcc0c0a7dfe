"""The configuration of a kind cluster: one node, our mark on it, and controllers that are off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

#: Where a node of ours mounts an empty folder of the machine that started it. Docker reports the mount even if the node
#: is broken.
MARK = "/kind/lockstep-mark"
#: Controllers that kubeadm turns on besides the default ones.
_KUBEADMS = ("*", "bootstrap-signer-controller", "token-cleaner-controller")
#: The cluster's data need not survive a power failure, and waiting for the disk would slow it down.
_ETCD = {"unsafe-no-fsync": "true"}


#: Flags of a program, without the dashes.
Flags = Mapping[str, str]
NO_FLAGS: Flags = MappingProxyType({})


def render(mark: Path, controllers_off: Sequence[str] = (), flags: Flags = NO_FLAGS) -> str:
    """The configuration as YAML. `mark`: the folder to mount in the node.

    `controllers_off`: controllers of kube-controller-manager, by the names that its --controllers takes, such as
    replicaset-controller. `flags`: further flags of kube-controller-manager.
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
    # Written as maps and without a version, this applies to every version of kubeadm's configuration that kind writes.
    patch: dict[str, Any] = {"kind": "ClusterConfiguration", "etcd": {"local": {"extraArgs": dict(_ETCD)}}}
    if arguments:
        patch["controllerManager"] = {"extraArgs": arguments}
    config["kubeadmConfigPatches"] = [yaml.safe_dump(patch, sort_keys=False)]
    return yaml.safe_dump(config, sort_keys=False)

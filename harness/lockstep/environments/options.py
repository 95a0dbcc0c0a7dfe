"""How to reach a real cluster: what a user can configure."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class KindOptions:
    """Options of kind clusters.

    `image`: of the nodes; "" is the one that `tools/node_image` built, if Docker has it, else kind's own default.
    `kind_bin`, `kubectl_bin`: programs; None is the one on PATH, else the one that `tools/node_image` built. `keep`:
    leave the cluster running, and reuse it if it exists.
    """

    name: str = "lockstep"
    image: str = ""
    kind_bin: Path | None = None
    kubectl_bin: Path | None = None
    keep: bool = False


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How to reach a real cluster, and how many scenarios run there at a time.

    `kubeconfig` and `context` name the cluster of the environment `kubeconfig`; `kind` holds the options of `kind`.
    """

    jobs: int = 8
    kubeconfig: str = ""
    context: str = ""
    kind: KindOptions = field(default_factory=KindOptions)

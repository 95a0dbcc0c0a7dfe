"""What a node image consists of, by version. What Kubernetes wants of others (etcd, CoreDNS) its kubeadm says."""

from __future__ import annotations

import platform

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.node_image import NEWEST

#: Releases of Kubernetes of which a node image was built and run.
KUBERNETES = (NEWEST,)
KIND = "v0.32.0"
#: The newest that was run; kind's configuration of it, in the old format, is still understood.
CONTAINERD = "v2.1.5"
DEBIAN = "bookworm"
#: The Go that Kubernetes 1.36 needs.
GO = (1, 26)

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def check(kubernetes: str) -> None:
    """Refuse a release that nobody tried. Raises KindFailed."""
    if kubernetes not in KUBERNETES:
        raise KindFailed(
            f"{kubernetes!r} is no release that a node image can be built of; the releases are {', '.join(KUBERNETES)}"
        )


def architecture() -> str:
    """This machine's, as Go, Debian and image registries call it. Raises KindFailed."""
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        raise KindFailed(f"a node image can be built on {' and '.join(_ARCHITECTURES)} only, and this is {machine}")
    return _ARCHITECTURES[machine]

"""File trees from Debian's packages, by mmdebstrap: as root directly, else in a user namespace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep.clusters.kind.commands import need, run
from tools.node_image import versions
from tools.node_image.parts import part

_TAR = "tree.tar"


@dataclass(frozen=True, slots=True)
class Tree:
    """A choice of packages. `variant` is mmdebstrap's word for what comes with them."""

    name: str
    variant: str
    packages: tuple[str, ...]


#: The operating system of a node. jq is for kind's own hook, iproute2 and procps for its entrypoint.
NODE = Tree(
    "debian-node",
    "minbase",
    (
        *("systemd", "systemd-sysv", "mount", "kmod", "ca-certificates", "jq", "procps"),
        *("conntrack", "ethtool", "iproute2", "iptables", "nftables"),
        *("containernetworking-plugins", "libseccomp2", "runc"),
    ),
)
#: What kube-proxy calls, with libraries: unpacked only, so there is no shell and nothing was configured.
PROXY = Tree("debian-proxy", "extract", ("conntrack", "iptables", "nftables"))


def built(tree: Tree) -> Path:
    """A tar of the tree, made now if need be. Raises KindFailed."""
    return part(tree.name, [repr(tree), versions.DEBIAN, versions.architecture()], lambda to: _make(tree, to)) / _TAR


def require() -> str:
    """The path of mmdebstrap. Raises KindFailed."""
    return need("mmdebstrap", "which unpacks the node's Debian packages: apt-get install mmdebstrap")


def _make(tree: Tree, folder: Path) -> None:
    run(_command(tree, folder / _TAR), f"installing Debian packages ({', '.join(tree.packages)})", cwd=folder)
    (folder / _TAR).chmod(0o644)


def _command(tree: Tree, target: Path) -> Sequence[str]:
    options = [f"--variant={tree.variant}", "--format=tar", "--skip=output/dev", f"--include={','.join(tree.packages)}"]
    return [require(), *options, versions.DEBIAN, str(target)]

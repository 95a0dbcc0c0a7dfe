"""The images of what runs in containers on a node: under the names that kubeadm looks for, around programs of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.commands import run
from lockstep.implementations.upstream.golang import Go
from tools.node_image import debian, programs
from tools.node_image.archive import Image

_BIN = "usr/local/bin"
_NOBODY = "65535:65535"
#: What iptables is called by, and the one program behind all of it.
_IPTABLES = tuple(f"{name}{verb}" for name in ("iptables", "ip6tables") for verb in ("", "-save", "-restore"))


@dataclass(frozen=True, slots=True)
class Names:
    """The images that kubeadm of a release asks for: program -> name with tag."""

    of: dict[str, str]

    def version(self, program: str) -> str:
        """The version of the program in an image: the tag, without the number of the image's own build."""
        return "v" + self.of[program].rpartition(":")[2].removeprefix("v").partition("-")[0]


def names(kubeadm: Path, kubernetes: str) -> Names:
    """Ask kubeadm for its images; it answers from what is compiled into it. Raises KindFailed."""
    command = [str(kubeadm), "config", "images", "list", f"--kubernetes-version=v{kubernetes}"]
    found = {}
    for image in run(command, "asking kubeadm for its images").split():
        found[image.rpartition(":")[0].rpartition("/")[2]] = image
    missing = {*programs.CONTROL_PLANE, "etcd", "coredns", "pause"} - set(found)
    if missing:
        raise KindFailed(
            f"kubeadm {kubernetes} names no image of {', '.join(sorted(missing))}; Lockstep needs an update"
        )
    return Names(found)


def images(named: Names, kubernetes: Path, go: Go) -> Sequence[Image]:
    """All images of a node. `kubernetes`: the folder with its programs. Builds what is not there yet."""
    etcd = programs.built(programs.etcd(named.version("etcd")), go)
    coredns = programs.built(programs.coredns(named.version("coredns")), go)
    pause = programs.built(programs.pause(), go)
    return [
        *(_component(named, program, kubernetes) for program in programs.CONTROL_PLANE if program != "kube-proxy"),
        _proxy(named.of["kube-proxy"], kubernetes),
        Image(
            named.of["etcd"],
            {f"{_BIN}/{program}": etcd / program for program in ("etcd", "etcdctl")},
            folders=("tmp",),
        ),
        Image(named.of["coredns"], {"coredns": coredns / "coredns"}, entrypoint=("/coredns",)),
        Image(named.of["pause"], {"pause": pause / "pause"}, entrypoint=("/pause",), user=_NOBODY),
    ]


def _component(named: Names, program: str, kubernetes: Path) -> Image:
    path = f"{_BIN}/{program}"
    return Image(named.of[program], {path: kubernetes / program}, entrypoint=(f"/{path}",), folders=("tmp",))


def _proxy(name: str, kubernetes: Path) -> Image:
    """kube-proxy's image. Debian's packages were unpacked only, so their alternatives are links of ours."""
    path = f"{_BIN}/kube-proxy"
    return Image(
        name,
        {path: kubernetes / "kube-proxy"},
        links={f"usr/sbin/{called}": "xtables-nft-multi" for called in _IPTABLES},
        folders=("tmp", "run"),
        below=debian.built(debian.PROXY),
    )

"""Compiling the programs of a node from their Go modules, without C, so that each one stands alone in its image."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.implementations.upstream import module
from lockstep.implementations.upstream.golang import Go, go_directive, newest, run_go
from lockstep.implementations.upstream.releases import Release
from tools.node_image import versions
from tools.node_image.parts import part, tree_digest

_SOURCES = Path(__file__).parent / "go"
_KUBERNETES = "k8s.io/kubernetes"
_NODE = ("kubeadm", "kubelet", "kubectl")
#: The programs of Kubernetes that run in containers of their own.
CONTROL_PLANE = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy")
_MAJOR = re.compile(r"v\d+")
_STAMPED = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")


@dataclass(frozen=True, slots=True)
class Programs:
    """Programs that are built together.

    `packages`: the name of each program, and the package it is compiled from. `modules`: the published modules that
    these come from, with versions. `sources`: a folder of ours that has the packages. `stamps`: variables to set in
    them, with values.
    """

    name: str
    packages: dict[str, str]
    modules: dict[str, str]
    sources: str = ""
    stamps: dict[str, str] = field(default_factory=dict)


def kubernetes(version: str) -> Programs:
    """The programs of Kubernetes.

    Without a stamped version they take themselves for v0.0.0, and kubeadm then refuses or skips what depends on it.
    """
    major, minor, _ = version.split(".")
    facts = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    stamps = {f"{package}.{name}": value for package in _STAMPED for name, value in facts.items()}
    packages = {name: f"{_KUBERNETES}/cmd/{name}" for name in (*_NODE, *CONTROL_PLANE)}
    return Programs("kubernetes", packages, {_KUBERNETES: f"v{version}"}, stamps=stamps)


def etcd(version: str) -> Programs:
    """The store of the API server, and its client, with which kubeadm's probes and people look into it."""
    server, client = "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/etcdctl/v3"
    return Programs("etcd", {"etcd": server, "etcdctl": client}, dict.fromkeys((server, client), version))


def coredns(version: str) -> Programs:
    """The cluster's name server."""
    return Programs("coredns", {"coredns": "./coredns"}, {"github.com/coredns/coredns": version}, sources="coredns")


def containerd() -> Programs:
    """What runs the containers of a node."""
    name = "github.com/containerd/containerd/v2"
    packages = {program: f"{name}/cmd/{program}" for program in ("containerd", "ctr", "containerd-shim-runc-v2")}
    stamps = {f"{name}/version.Version": versions.CONTAINERD}
    return Programs("containerd", packages, {name: versions.CONTAINERD}, stamps=stamps)


def pause() -> Programs:
    """What holds the namespaces of a pod."""
    return Programs("pause", {"pause": "./pause"}, {}, sources="pause")


def kind() -> Programs:
    """The tool kind itself."""
    name = "sigs.k8s.io/kind"
    return Programs("kind", {"kind": name}, {name: versions.KIND})


def built(programs: Programs, go: Go) -> Path:
    """The folder with the programs, compiled now if need be. Raises BuildFailed or KindFailed."""
    return part(programs.name, inputs(programs, go), lambda folder: _compile(programs, go, folder))


def inputs(programs: Programs, go: Go) -> list[str]:
    """All that decides how the programs come out."""
    ours = tree_digest(_SOURCES / programs.sources) if programs.sources else ""
    return [repr(programs), ours, go.version, versions.architecture()]


def kind_files(go: Go, folder: Path) -> Path:
    """The folder of kind's module with the files that a node needs; it is read-only. Raises BuildFailed."""
    root = module.download("sigs.k8s.io/kind", versions.KIND, go, folder, _quietly).root
    return root / "images" / "base" / "files"


def _compile(programs: Programs, go: Go, folder: Path) -> None:
    source = folder / "source"
    source.mkdir()
    _write_module(programs, go, source)
    link = " ".join(["-s", "-w", *(f"-X={name}={value}" for name, value in programs.stamps.items())])
    flags = ["-mod=mod", "-trimpath", "-buildvcs=false", f"-ldflags={link}"]
    output = folder / "built"
    output.mkdir()
    packages = list(programs.packages.values())
    run_go(go, ["build", *flags, "-o", str(output), *packages], source, f"compiling {programs.name}", _quietly)
    for name, package in programs.packages.items():
        (output / _named_by_go(package)).rename(folder / name)
    output.rmdir()
    shutil.rmtree(source)


def _named_by_go(package: str) -> str:
    """The name that the Go tool gives to the program of a package."""
    words = package.split("/")
    return words[-2] if _MAJOR.fullmatch(words[-1]) else words[-1]


def _write_module(programs: Programs, go: Go, folder: Path) -> None:
    if _KUBERNETES in programs.modules:
        version = programs.modules[_KUBERNETES].removeprefix("v")
        release = Release(version, version)
        module.write_module(release, module.fetch(release, go, folder, _quietly), go, folder, _quietly)
        return
    trees = [module.download(name, version, go, folder, _quietly) for name, version in programs.modules.items()]
    language = newest("1.25.0", *(go_directive((tree.root / "go.mod").read_text()) for tree in trees))
    required = "".join(f"require {name} {version}\n" for name, version in programs.modules.items())
    (folder / "go.mod").write_text(f"module kube-lockstep/node\n\ngo {language}\n\n{required}")
    if programs.sources:
        shutil.copytree(_SOURCES / programs.sources, folder / programs.sources)


def _quietly(_: str) -> None:
    """A part is one line of progress; its downloads are none."""

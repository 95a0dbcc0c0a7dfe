"""The programs of a control plane, and the Go module of each.

kube-apiserver and kube-controller-manager come from Kubernetes, the three programs of the Vertical Pod Autoscaler from
its own module with the libraries that it was released with, and etcd from its server module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lockstep.clusters.control_plane.errors import ControlPlaneFailed
from lockstep.implementations.upstream import releases
from lockstep.implementations.upstream.releases import Release

#: The default release.
PRIMARY = releases.PRIMARY
#: The etcd of kubeadm 1.36; older releases of Kubernetes work with it too.
ETCD_VERSION = "3.6.8"

KUBERNETES, ETCD, VPA = "kubernetes", "etcd", "vpa"
_VERSION = re.compile(r"1\.\d+\.\d+")
_STAMP = "k8s.io/component-base/version"


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its file's name, the project whose version it has (KUBERNETES, ETCD or VPA), and its Go package."""

    name: str
    module: str
    package: str


#: The programs that every control plane needs, in the order that makes a first build shortest.
SERVER = Program("kube-apiserver", KUBERNETES, "k8s.io/kubernetes/cmd/kube-apiserver")
STORE = Program("etcd", ETCD, "go.etcd.io/etcd/server/v3")
MANAGER = Program("kube-controller-manager", KUBERNETES, "k8s.io/kubernetes/cmd/kube-controller-manager")
CORE = (SERVER, STORE, MANAGER)
_VPA_PACKAGE = "k8s.io/autoscaler/vertical-pod-autoscaler/pkg"
AUTOSCALERS = tuple(
    Program(f"vpa-{part}", VPA, f"{_VPA_PACKAGE}/{part}") for part in ("recommender", "updater", "admission-controller")
)
PROGRAMS = {program.name: program for program in (*CORE, *AUTOSCALERS)}


def check_version(kubernetes: str) -> None:
    """Raise ControlPlaneFailed for an invalid Kubernetes version."""
    if not _VERSION.fullmatch(kubernetes):
        raise ControlPlaneFailed(f"{kubernetes!r} is not a Kubernetes version: write one such as {PRIMARY}")


def version_of(program: Program, kubernetes: str) -> str:
    """The version of a program that goes with this Kubernetes; "" if there is none."""
    if program.module == ETCD:
        return ETCD_VERSION
    return kubernetes if program.module == KUBERNETES else releases.VPA.get(kubernetes, "")


def release_of(program: Program, kubernetes: str) -> Release:
    """The release of Kubernetes or of the VPA from which a program is built."""
    if program.module == VPA:
        return Release(f"vpa-{version_of(program, kubernetes)}", "", vpa=version_of(program, kubernetes), alone=True)
    return Release(kubernetes, kubernetes)


def link_flags(program: Program, kubernetes: str) -> str:
    """The linker's flags. Without a version at link time, Kubernetes reports v0.0.0, which kubectl cannot parse."""
    if program.module != KUBERNETES:
        return "-s -w"
    major, minor, _ = kubernetes.split(".", 2)
    stamps = {"gitVersion": f"v{kubernetes}", "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s -w", *(f"-X {_STAMP}.{name}={value}" for name, value in stamps.items())])

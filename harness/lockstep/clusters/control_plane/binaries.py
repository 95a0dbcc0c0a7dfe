"""Finding the programs of a control plane.

The order is that of envtest: the folder KUBEBUILDER_ASSETS, then PATH, then our own cache. A program that is in none of
them is built. A Kubernetes program of another version would change the results of a run. So it is refused in a folder
that the user named, and skipped on PATH.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lockstep.clusters.control_plane.building import Progress, build, cached
from lockstep.clusters.control_plane.errors import ControlPlaneFailed
from lockstep.clusters.control_plane.programs import ETCD, VPA, Program, check_version, version_of

#: The variable that names the folder of programs, as for controller-runtime's envtest.
ASSETS = "KUBEBUILDER_ASSETS"
_ANSWER_SECONDS = 20.0
_VERSION = re.compile(r"(?:Kubernetes v|etcd Version: )(\d+\.\d+\.\d+\S*)")
#: kube-apiserver 1.36 still works with the etcd of Debian 12.
_OLDEST_ETCD = (3, 4)


@dataclass(frozen=True, slots=True)
class Found:
    """A program on disk. `origin` says where it was found: KUBEBUILDER_ASSETS, PATH, cache or build."""

    program: Program
    path: Path
    origin: str


def find(program: Program, kubernetes: str) -> Found | None:
    """The program to use, without building anything.

    Raises ControlPlaneFailed on a wrong one in KUBEBUILDER_ASSETS, and for an invalid Kubernetes version.
    """
    check_version(kubernetes)
    named = os.environ.get(ASSETS)
    if named and (path := _executable(Path(named) / program.name)):
        if program.module != VPA:  # the VPA's programs do not report a version; trust the user who put one there
            _check(program, path, kubernetes)
        return Found(program, path, ASSETS)
    on_path = shutil.which(program.name)
    if on_path and not _fault(program, Path(on_path), kubernetes):
        return Found(program, Path(on_path), "PATH")
    kept = cached(program, kubernetes)
    return Found(program, kept, "cache") if kept else None


def provide(programs: Iterable[Program], kubernetes: str, progress: Progress) -> dict[str, Found]:
    """The programs by name; those that are not found are built. Raises ControlPlaneFailed and BuildFailed."""
    provided = {}
    for program in programs:
        found = find(program, kubernetes)
        provided[program.name] = found or Found(program, build(program, kubernetes, progress), "build")
    return provided


def _executable(path: Path) -> Path | None:
    return path.absolute() if path.is_file() and os.access(path, os.X_OK) else None


def _check(program: Program, path: Path, kubernetes: str) -> None:
    fault = _fault(program, path, kubernetes)
    if fault:
        raise ControlPlaneFailed(
            f"{path} {fault}, but {version_of(program, kubernetes)} is needed: let {ASSETS} name a folder with that "
            "version, or unset it to have the programs built"
        )


def _fault(program: Program, path: Path, kubernetes: str) -> str:
    """Why a program that we did not build cannot be used; "" if it can."""
    wanted, version = version_of(program, kubernetes), reported_version(path)
    if not version:
        return "reports no version"
    if program.module == ETCD:
        major, minor = version.split(".")[:2]
        return "" if (int(major), int(minor)) >= _OLDEST_ETCD else f"is version {version}"
    return "" if version == wanted else f"is version {version}"


@lru_cache(maxsize=32)
def reported_version(path: Path) -> str:
    """What `--version` of a program says, such as "1.36.3"; "" if it does not answer, or without a version in its
    answer.
    """
    try:
        answer = subprocess.run(  # noqa: S603 - one of the programs
            [path, "--version"], capture_output=True, text=True, timeout=_ANSWER_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = _VERSION.search(answer.stdout)
    return found[1] if found else ""

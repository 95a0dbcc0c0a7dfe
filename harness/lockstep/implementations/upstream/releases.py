"""The releases of upstream that can be run, and how a user names one.

A release is a version of Kubernetes ("1.36.3") or of the VPA alone ("vpa-1.8.1"), taken from the Go module proxy, or
"path=DIR": a source tree of the user's own. A VPA version belongs to the release of Kubernetes with which it builds.
One that needs newer libraries than any Kubernetes here is a release by itself, without the controllers of Kubernetes.

A Kubernetes tree has no VPA. It is a git checkout, with its staging modules inside, or an edited copy of a module from
Go's module cache. Such a copy has no staging modules, so its folder must keep its name, `kubernetes@v1.36.3`, which
identifies the published ones. A VPA tree must keep its name too: `vertical-pod-autoscaler@v1.7.3`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lockstep.implementations.upstream.errors import BuildFailed

#: The default release.
PRIMARY = "1.36.3"

#: Releases known to build and run, newest first, with the Go that each needs (1.25 is the first with testing/synctest).
RELEASES: dict[str, tuple[int, int]] = {
    "1.36.3": (1, 26),
    "1.35.4": (1, 25),
    "1.34.4": (1, 25),
    "1.33.13": (1, 25),
    "vpa-1.8.1": (1, 26),
}
#: The VPA version of each release.
VPA = {"1.36.3": "1.7.3", "vpa-1.8.1": "1.8.1"}
_KUBERNETES_CONTROLLERS = ("replicaset", "hpa")
_VPA_CONTROLLERS = ("vpa-recommender", "vpa-updater", "vpa-admission")

_VERSION = re.compile(r"1\.\d+\.\d+")
_MODULE_FOLDER = re.compile(r"kubernetes@v(1\.\d+\.\d+)")
_VPA_FOLDER = re.compile(r"vertical-pod-autoscaler@v(1\.\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class Release:
    """What to build: `spec` as the user wrote it, `version` of Kubernetes ("" for a checkout), `path` of its tree.

    `vpa`: the version of the VPA that joins it, "" for none, and the path of its tree, if that is the user's own.
    `alone`: there is no Kubernetes, only the VPA.
    """

    spec: str
    version: str
    path: Path | None = None
    vpa: str = ""
    vpa_path: Path | None = None
    alone: bool = False

    @property
    def is_checkout(self) -> bool:
        """Whether the tree contains the staging modules."""
        return self.path is not None and (self.path / "staging/src/k8s.io/api/go.mod").is_file()

    @property
    def label(self) -> str:
        """A short name for folders and reports."""
        if self.vpa_path is not None:
            return f"path-vpa-{self.vpa}"
        if self.path is None:
            return self.version or f"vpa-{self.vpa}"
        return f"path-{self.version}" if self.version else "path"

    @property
    def staging_version(self) -> str:
        """The version of the published staging modules, such as v0.36.3; "" if a tree has its own or none."""
        return "" if self.is_checkout or self.alone else f"v0.{self.version.split('.', 1)[1]}"

    @property
    def controllers(self) -> tuple[str, ...]:
        """Names of the controllers that it has."""
        mine = () if self.alone else _KUBERNETES_CONTROLLERS
        return mine + _VPA_CONTROLLERS if self.vpa else mine


def parse(spec: str) -> Release:
    """Parse a user's name of a release. Raises BuildFailed if it is not one."""
    if spec.startswith("path="):
        return _parse_path(spec)
    if spec in RELEASES and spec.startswith("vpa-"):
        return Release(spec, "", vpa=VPA[spec], alone=True)
    if not _VERSION.fullmatch(spec):
        raise BuildFailed(
            f"{spec!r} is not a Kubernetes release: write a version such as {PRIMARY}, or path=DIR for a source tree. "
            f"Known releases: {', '.join(RELEASES)}"
        )
    return Release(spec, spec, vpa=VPA.get(spec, ""))


def _parse_path(spec: str) -> Release:
    path = Path(spec.removeprefix("path=")).expanduser().resolve()
    vpa = _VPA_FOLDER.fullmatch(path.name)
    if vpa and (path / "pkg/recommender").is_dir():
        version = next((one for one, brought in VPA.items() if brought == vpa[1] and _VERSION.fullmatch(one)), "")
        return Release(spec, version, vpa=vpa[1], vpa_path=path, alone=not version)
    if not (path / "pkg/controller").is_dir() or not (path / "go.mod").is_file():
        raise BuildFailed(
            f"{path} is not a Kubernetes source tree: it has no go.mod or no pkg/controller. Check path=DIR"
        )
    named = _MODULE_FOLDER.fullmatch(path.name)
    release = Release(spec, named[1] if named else "", path)
    if not release.version and not release.is_checkout:
        raise BuildFailed(
            f"{path} has no staging modules (staging/src/k8s.io), so its name must say which published ones to use: "
            f"rename the folder to kubernetes@v{PRIMARY}, or whichever version it was copied from"
        )
    return release

"""The Kubernetes releases that can be run, and how a user names one.

A release is either a version ("1.36.3"), taken from the Go module proxy, or "path=DIR": a Kubernetes source tree of the
user's own. Such a tree is a git checkout, with its staging modules inside, or an edited copy of a module from Go's
module cache. The latter has no staging modules, so its folder must keep its name, `kubernetes@v1.36.3`, which says
which published ones belong to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from harness.upstream.errors import BuildFailed

#: The release that is meant when none is named.
PRIMARY = "1.36.3"

#: Releases known to build and run, newest first, with the Go that each needs (1.25 is the first with testing/synctest).
RELEASES: dict[str, tuple[int, int]] = {
    "1.36.3": (1, 26),
    "1.35.4": (1, 25),
    "1.34.4": (1, 25),
    "1.33.13": (1, 25),
}

_VERSION = re.compile(r"1\.\d+\.\d+")
_MODULE_FOLDER = re.compile(r"kubernetes@v(1\.\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class Release:
    """What to build: `spec` as the user wrote it, `version` of Kubernetes ("" for a checkout), `path` of its tree."""

    spec: str
    version: str
    path: Path | None = None

    @property
    def is_checkout(self) -> bool:
        """Whether the staging modules lie in the tree itself."""
        return self.path is not None and (self.path / "staging/src/k8s.io/api/go.mod").is_file()

    @property
    def label(self) -> str:
        """A short name for folders and reports."""
        if self.path is None:
            return self.version
        return f"path-{self.version}" if self.version else "path"

    @property
    def staging_version(self) -> str:
        """The version of the published staging modules, such as v0.36.3; "" if the tree brings its own."""
        return "" if self.is_checkout else f"v0.{self.version.split('.', 1)[1]}"


def parse(spec: str) -> Release:
    """The release that `spec` names. Raises BuildFailed if it names none."""
    if spec.startswith("path="):
        return _parse_path(spec)
    if not _VERSION.fullmatch(spec):
        raise BuildFailed(
            f"{spec!r} is no Kubernetes release: write a version such as {PRIMARY}, or path=DIR for a source tree. "
            f"Known releases: {', '.join(RELEASES)}"
        )
    return Release(spec, spec)


def _parse_path(spec: str) -> Release:
    path = Path(spec.removeprefix("path=")).expanduser().resolve()
    if not (path / "pkg/controller").is_dir() or not (path / "go.mod").is_file():
        raise BuildFailed(f"{path} is no Kubernetes source tree: it has no go.mod or no pkg/controller. Check path=DIR")
    named = _MODULE_FOLDER.fullmatch(path.name)
    release = Release(spec, named[1] if named else "", path)
    if not release.version and not release.is_checkout:
        raise BuildFailed(
            f"{path} has no staging modules (staging/src/k8s.io), so it must be told which published ones to use: "
            f"rename the folder to kubernetes@v{PRIMARY}, or whichever version it was copied from"
        )
    return release

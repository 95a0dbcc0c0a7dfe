"""The Go module in which the upstream process is built: our sources plus a go.mod that pins one Kubernetes."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from harness.upstream.errors import BuildFailed
from harness.upstream.golang import Go, Progress, go_directive, newest, run_go
from harness.upstream.releases import Release

SOURCES = Path(__file__).parent / "go"
_OLDEST_GO = "1.25.0"  # a main module below 1.23 would get timers that bubbles do not support
_REQUIRE = re.compile(r"^\s*(?:require\s+)?([\w./~-]+)\s+(v\S+)(?:\s*//.*)?$")
_STAGING = re.compile(r"^\s*(?:replace\s+)?(k8s\.io/\S+)\s+=>\s+\./staging/")


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """A Kubernetes source tree on disk, and `sum`, the digest that names its content."""

    root: Path
    sum: str


def source_digest() -> str:
    """A digest of our Go sources."""
    digest = hashlib.sha256()
    for file in sorted(SOURCES.rglob("*.go")):
        digest.update(f"{file.relative_to(SOURCES).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def tree_digest(root: Path) -> str:
    """A digest of what a build takes from a source tree: every Go file but tests, and go.mod."""
    digest = hashlib.sha256((root / "go.mod").read_bytes())
    folders = [root / "pkg", root / "staging/src/k8s.io"]
    for file in sorted(file for folder in folders for file in folder.rglob("*.go")):
        if not file.name.endswith("_test.go"):
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def fetch(release: Release, go: Go, folder: Path, progress: Progress) -> Kubernetes:
    """The source tree of a release, downloaded if need be. `folder` is any folder to run the tool in."""
    if release.path is not None:
        return Kubernetes(release.path, f"tree:{tree_digest(release.path)}")
    progress(f"fetching Kubernetes {release.version}")
    (folder / "go.mod").write_text(f"module fetch\n\ngo {_OLDEST_GO}\n")
    arguments = ["mod", "download", "-json", f"k8s.io/kubernetes@v{release.version}"]
    answer = run_go(go, arguments, folder, f"fetching Kubernetes {release.version}", progress)
    facts = json.loads(answer)
    return Kubernetes(Path(facts["Dir"]), facts["Sum"])


def write_module(release: Release, kubernetes: Kubernetes, folder: Path) -> None:
    """Write go.mod, go.sum and our sources into `folder`.

    All requirements of Kubernetes' own go.mod are repeated, so nothing has to be resolved; its staging modules, which
    there are replaced by folders, become the published versions, or folders again if the tree is a checkout.
    """
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    (folder / "go.mod").write_text(_go_mod(release, kubernetes))
    shutil.copyfile(kubernetes.root / "go.sum", folder / "go.sum")


def _go_mod(release: Release, kubernetes: Kubernetes) -> str:
    theirs = (kubernetes.root / "go.mod").read_text()
    lines = theirs.splitlines()
    staging = [match[1] for match in map(_STAGING.match, lines) if match]
    if not staging:
        raise BuildFailed(f"{kubernetes.root}/go.mod replaces no staging module: is it the go.mod of Kubernetes?")
    version = release.staging_version
    required = {match[1]: match[2] for match in map(_REQUIRE.match, lines) if match}
    required.update(dict.fromkeys(staging, version or "v0.0.0"))
    required["k8s.io/kubernetes"] = f"v{release.version}" if release.version else "v0.0.0"
    replaced = {name: f"{name} {version}" if version else f"{kubernetes.root}/staging/src/{name}" for name in staging}
    if release.path is not None:
        replaced["k8s.io/kubernetes"] = str(kubernetes.root)
    return "\n".join(
        [
            "module kube-lockstep/upstream",
            f"\ngo {newest(go_directive(theirs), _OLDEST_GO)}",
            "\nrequire (",
            *(f"\t{name} {wanted}" for name, wanted in sorted(required.items())),
            ")\n\nreplace (",
            *(f"\t{name} => {target}" for name, target in sorted(replaced.items())),
            ")\n",
        ]
    )


def build_tags(go: Go, folder: Path, progress: Progress) -> list[str]:
    """Which of our sources' variants fit the libraries of the module in `folder`.

    Read off their text rather than off a version number, so that it holds for a source tree too.
    """
    reflector, errors = "k8s.io/client-go/tools/cache", "k8s.io/apimachinery/pkg/util/runtime"
    arguments = ["list", "-mod=mod", "-find", "-f", "{{.ImportPath}} {{.Dir}}", reflector, errors]
    answer = run_go(go, arguments, folder, "locating client-go", progress)
    found = dict(line.split(" ", 1) for line in answer.splitlines())
    tags = []
    if "neverExitWatch" in Path(found[reflector], "reflector.go").read_text():
        tags.append("never_exit_watch")
    if "type ErrorHandler func" not in Path(found[errors], "runtime.go").read_text():
        tags.append("plain_error_handlers")
    return tags


def manager_gates(kubernetes: Kubernetes) -> str:
    """Feature gates that kube-controller-manager sets for itself (cmd/kube-controller-manager/app/options/options.go).

    1.34 turns on WatchListClient there, which client-go alone leaves off.
    """
    options = kubernetes.root / "cmd/kube-controller-manager/app/options/options.go"
    sets_it = options.is_file() and "clientgofeaturegate.WatchListClient), true" in options.read_text()
    return "WatchListClient=true" if sets_it else ""

"""The Go module in which the upstream process is built: our sources and a go.mod that pins all dependencies."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep.implementations.upstream.edits import (
    CLIENT_GO,
    EDITS,
    REGISTRATION,
    VPA,
    copy_registration,
    edited_copy,
)
from lockstep.implementations.upstream.errors import BuildFailed
from lockstep.implementations.upstream.golang import Go, Progress, go_directive, newest, run_go
from lockstep.implementations.upstream.releases import Release

SOURCES = Path(__file__).parent / "go"
#: A folder of SOURCES that is a separate Go module: see harness/lockstep/implementations/upstream/oracle.py.
ORACLE = "oracle"
_KUBERNETES = "k8s.io/kubernetes"
#: The folder of a build for copies of modules, with our edits.
EDITED = "edited"
_OLDEST_GO = "1.25.0"  # a main module below 1.23 would get timers that bubbles do not support
_REQUIRE = re.compile(r"^\s*(?:require\s+)?([\w./~-]+)\s+(v\S+)(?:\s*//.*)?$")
_BLOCK = re.compile(r"^(\w+) \($")
_EXAMPLE = re.compile(r"k8s\.io/sample-")
_STAGING = re.compile(r"^\s*(?:replace\s+)?(k8s\.io/\S+)\s+=>\s+\./staging/")


@dataclass(frozen=True, slots=True)
class Tree:
    """A source tree on disk, and `sum`, the digest of its content."""

    root: Path
    sum: str


@dataclass(frozen=True, slots=True)
class Sources:
    """The source trees of a release; at least one is present."""

    kubernetes: Tree | None
    vpa: Tree | None


def source_digest() -> str:
    """A digest of our Go sources."""
    digest = hashlib.sha256(repr(EDITS).encode())
    for file in sorted(SOURCES.rglob("*.go")):
        if file.is_relative_to(SOURCES / ORACLE):
            continue
        digest.update(f"{file.relative_to(SOURCES).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def tree_digest(root: Path) -> str:
    """A digest of the files that a build uses from a source tree: go.mod, and every Go file but tests."""
    digest = hashlib.sha256((root / "go.mod").read_bytes())
    folders = [root / "pkg", root / "common", root / "staging/src/k8s.io"]
    for file in sorted(file for folder in folders for file in folder.rglob("*.go")):
        if not file.name.endswith("_test.go"):
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def fetch(release: Release, go: Go, folder: Path, progress: Progress) -> Sources:
    """The source trees of a release, downloaded if necessary. `folder` is any folder to run the tool in."""
    kubernetes = vpa = None
    if release.path is not None:
        kubernetes = Tree(release.path, f"tree:{tree_digest(release.path)}")
    elif not release.alone:
        kubernetes = download(_KUBERNETES, f"v{release.version}", go, folder, progress)
    if release.vpa_path is not None:
        vpa = Tree(release.vpa_path, f"tree:{tree_digest(release.vpa_path)}")
    elif release.vpa:
        vpa = download(VPA, f"v{release.vpa}", go, folder, progress)
    return Sources(kubernetes, vpa)


def download(name: str, version: str, go: Go, folder: Path, progress: Progress) -> Tree:
    """A published module in Go's module cache, downloaded if necessary."""
    what = f"fetching {'Kubernetes' if name == _KUBERNETES else name} {version.removeprefix('v')}"
    progress(what)
    (folder / "go.mod").write_text(f"module fetch\n\ngo {_OLDEST_GO}\n")
    facts = json.loads(run_go(go, ["mod", "download", "-json", f"{name}@{version}"], folder, what, progress))
    return Tree(Path(facts["Dir"]), facts["Sum"])


def write_module(release: Release, sources: Sources, go: Go, folder: Path, progress: Progress) -> None:
    """Write go.mod, go.sum and our sources into `folder`.

    All requirements of upstream's own go.mod are repeated, so nothing has to be resolved. Upstream replaces the staging
    modules of Kubernetes by folders. Here they are the published versions, or folders if the tree is a checkout.
    """
    trees = [tree for tree in (sources.kubernetes, sources.vpa) if tree is not None]
    required = _required(release, sources)
    replaced = _replaced(release, sources)
    if sources.vpa is not None:
        client_go = download(CLIENT_GO, release.staging_version or required[CLIENT_GO], go, folder, progress)
        for name, tree in ((CLIENT_GO, client_go), (VPA, sources.vpa)):
            edited_copy(name, tree.root, SOURCES, folder / EDITED / name)
            replaced[name] = f"./{EDITED}/{name}"
        for name in filter(_EXAMPLE.match, replaced):
            replaced[name] = f"./{_empty(name, folder / EDITED)}"
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(ORACLE))
    if sources.vpa is not None:
        copy_registration(sources.vpa.root, folder / REGISTRATION)
    _write_pins(trees, required, replaced, folder)


def write_plain_module(release: Release, sources: Sources, folder: Path) -> None:
    """Write go.mod and go.sum of a module without sources of ours, in which upstream's own programs can be built."""
    trees = [tree for tree in (sources.kubernetes, sources.vpa) if tree is not None]
    _write_pins(trees, _required(release, sources), _replaced(release, sources), folder)


def _write_pins(trees: Sequence[Tree], required: dict[str, str], replaced: dict[str, str], folder: Path) -> None:
    wanted = newest(_OLDEST_GO, *(go_directive((tree.root / "go.mod").read_text()) for tree in trees))
    (folder / "go.mod").write_text(_go_mod(wanted, required, replaced))
    (folder / "go.sum").write_text("".join((tree.root / "go.sum").read_text() for tree in trees))


def _empty(name: str, folder: Path) -> str:
    """A module without content, for an example that nothing imports.

    Two go.mod files together do not pin all dependencies, so the tool reads the go.mod of every module that they name;
    those of the examples are not published everywhere.
    """
    (folder / name).mkdir(parents=True)
    (folder / name / "go.mod").write_text(f"module {name}\n")
    return f"{folder.name}/{name}"


def _required(release: Release, sources: Sources) -> dict[str, str]:
    """The version of every module: the newest that one of the trees requires."""
    required: dict[str, str] = {}
    for tree in (sources.kubernetes, sources.vpa):
        if tree is not None:
            for name, version in _requirements((tree.root / "go.mod").read_text()):
                required[name] = newest(required.get(name, "v0"), version)
    if sources.kubernetes is not None:
        for name in _staging(sources.kubernetes):
            required[name] = newest(required.get(name, "v0"), release.staging_version or "v0.0.0")
        required[_KUBERNETES] = f"v{release.version}" if release.version else "v0.0.0"
    if sources.vpa is not None:
        required[VPA] = f"v{release.vpa}"
    return required


def _requirements(go_mod: str) -> Iterator[tuple[str, str]]:
    block = ""
    for line in go_mod.splitlines():
        opened = _BLOCK.match(line)
        if opened or line.startswith(")"):
            block = opened[1] if opened else ""
        match = _REQUIRE.match(line)
        if match and block in ("", "require"):
            yield match[1], match[2]


def _replaced(release: Release, sources: Sources) -> dict[str, str]:
    """The replacements: published staging modules, and the user's own trees."""
    if sources.kubernetes is None:
        return {}
    root, version = sources.kubernetes.root, release.staging_version
    replaced = {
        name: f"{name} {version}" if version else f"{root}/staging/src/{name}" for name in _staging(sources.kubernetes)
    }
    if release.path is not None:
        replaced[_KUBERNETES] = str(root)
    return replaced


def _staging(kubernetes: Tree) -> list[str]:
    lines = (kubernetes.root / "go.mod").read_text().splitlines()
    staging = [match[1] for match in map(_STAGING.match, lines) if match]
    if not staging:
        raise BuildFailed(f"{kubernetes.root}/go.mod replaces no staging module: is it the go.mod of Kubernetes?")
    return staging


def _go_mod(version: str, required: dict[str, str], replaced: dict[str, str]) -> str:
    return "\n".join(
        [
            "module kube-lockstep/upstream",
            f"\ngo {version}",
            "\nrequire (",
            *(f"\t{name} {wanted}" for name, wanted in sorted(required.items())),
            ")\n\nreplace (",
            *(f"\t{name} => {target}" for name, target in sorted(replaced.items())),
            ")\n",
        ]
    )


def build_tags(sources: Sources, go: Go, folder: Path, progress: Progress) -> list[str]:
    """The build tags of our sources' variants that match the libraries of the module in `folder`.

    They are derived from the libraries' text, not from a version, so that this works for a source tree too.
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
    if sources.kubernetes is not None:
        tags.append("kubernetes")
    if sources.vpa is not None:
        tags += _vpa_tags(sources.vpa.root)
    return tags


def _vpa_tags(root: Path) -> list[str]:
    tags = ["vpa"]
    if "func NewPodLister(" in (root / "pkg/updater/logic/updater.go").read_text():
        tags.append("vpa_own_pod_lister")
    if "func NewVpasListerWithIndexer(" in (root / "pkg/utils/vpa/api.go").read_text():
        tags.append("vpa_indexer")
    return tags


def manager_gates(kubernetes: Tree | None) -> str:
    """Feature gates that kube-controller-manager sets for itself (cmd/kube-controller-manager/app/options/options.go).

    1.34 turns on WatchListClient there, which client-go alone leaves off.
    """
    if kubernetes is None:
        return ""
    options = kubernetes.root / "cmd/kube-controller-manager/app/options/options.go"
    sets_it = options.is_file() and "clientgofeaturegate.WatchListClient), true" in options.read_text()
    return "WatchListClient=true" if sets_it else ""

"""Building the upstream process, once per release, into the user's cache.

A build lives in `$XDG_CACHE_HOME/lockstep/upstream/<release>-<digest>-<go version>/`. The digest covers our Go sources
and, for a source tree, that tree. A build appears whole or not at all, and two processes that need it build it once.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from lockstep.files import cache_folder, locked
from lockstep.implementations.upstream import module, releases
from lockstep.implementations.upstream.errors import BuildFailed
from lockstep.implementations.upstream.golang import OLDEST, Go, Progress, find_go, go_directive, run_go
from lockstep.implementations.upstream.releases import Release

_BINARY, _FACTS = "upstream.test", "build.json"
_KEPT = 4  # builds of one release, 25 MB each
_FLAGS = ["-mod=mod", "-trimpath", "-vet=off", "-ldflags=-s -w"]


@dataclass(frozen=True, slots=True)
class Built:
    """A process ready to run.

    `release` as requested; `digest` identifies the build; `module_sum` and `vpa_sum` identify the sources of Kubernetes
    and of the VPA (Go's h1 sum, or `tree:` and a SHA-256; "" if absent); `kubernetes_version` is "" for a checkout;
    `feature_gates` are those that the release's kube-controller-manager sets itself.
    """

    path: Path
    release: str
    digest: str
    module_sum: str
    go_version: str
    kubernetes_version: str
    vpa_version: str
    vpa_sum: str
    controllers: str
    feature_gates: str


def cache_root() -> Path:
    """The folder of all builds."""
    return cache_folder("upstream")


def _silent(_: str) -> None:
    """Shows no progress."""


def build(release: str = releases.PRIMARY, progress: Progress = _silent) -> Built:
    """The build of `release` ("1.36.3" or "path=DIR"), built now if necessary. Raises BuildFailed."""
    wanted = releases.parse(release)
    digest = _digest(wanted)
    try:
        go = find_go(_go_needed(wanted))
    except BuildFailed:
        ready = [built for built in installed() if built.digest == digest]
        if ready:
            return ready[0]
        raise
    folder = cache_root() / f"{wanted.label}-{digest}-{go.version}"
    found = _load(folder)
    if found is None:
        with locked(folder):
            found = _load(folder) or _build(wanted, digest, go, folder, progress)
    return found


def installed() -> list[Built]:
    """The builds in the cache, by folder name."""
    root = cache_root()
    folders = sorted(root.iterdir()) if root.is_dir() else []
    return [built for built in map(_load, folders) if built is not None]


def info(release: str = releases.PRIMARY) -> Built | None:
    """The cached build of `release`, if it is up to date, or None. Builds nothing."""
    digest = _digest(releases.parse(release))
    return next((built for built in reversed(installed()) if built.digest == digest), None)


def _digest(release: Release) -> str:
    parts = [module.source_digest(), *_FLAGS, release.label]
    for path in (release.path, release.vpa_path):
        if path is not None:
            parts += [str(path), module.tree_digest(path)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def _go_needed(release: Release) -> tuple[int, int]:
    if release.path is None:
        return releases.RELEASES.get(release.version or f"vpa-{release.vpa}", OLDEST)
    major, minor = go_directive((release.path / "go.mod").read_text()).split(".")[:2]
    return max(OLDEST, (int(major), int(minor)))


def _load(folder: Path) -> Built | None:
    try:
        facts = json.loads((folder / _FACTS).read_text())
        built = Built(path=folder / _BINARY, **facts)
    except (OSError, ValueError, TypeError):
        return None
    return built if built.path.is_file() else None


def _build(release: Release, digest: str, go: Go, folder: Path, progress: Progress) -> Built:
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        facts = _compile(release, digest, go, scratch, progress)
        (scratch / _FACTS).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
        if folder.exists():
            shutil.rmtree(folder)  # it is damaged, since it could not be loaded
        scratch.rename(folder)
    except OSError as error:
        raise BuildFailed(f"cannot write the build of {release.spec} under {folder.parent}: {error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    _prune(release, folder)
    progress(f"upstream {release.spec} is ready")
    return Built(path=folder / _BINARY, **facts)


def _prune(release: Release, newest: Path) -> None:
    """Remove the oldest builds of a release: each edit of our sources or of a source tree leaves one behind."""
    old = [built.path.parent for built in installed() if built.path.parent != newest and built.release == release.spec]
    old.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in old[_KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def _compile(release: Release, digest: str, go: Go, scratch: Path, progress: Progress) -> dict[str, str]:
    sources = module.fetch(release, go, scratch, progress)
    module.write_module(release, sources, go, scratch, progress)
    tags = module.build_tags(sources, go, scratch, progress)
    progress(f"compiling upstream {release.spec} with {go.version}: the first time takes a minute or two")
    arguments = ["test", "-c", *_FLAGS, f"-tags={','.join(tags)}", "-o", _BINARY, "."]
    run_go(go, arguments, scratch, f"compiling upstream {release.spec}", progress)
    shutil.rmtree(scratch / module.EDITED, ignore_errors=True)
    built = Built(
        path=scratch,
        release=release.spec,
        digest=digest,
        module_sum=sources.kubernetes.sum if sources.kubernetes else "",
        go_version=go.version,
        kubernetes_version=release.version,
        vpa_version=release.vpa,
        vpa_sum=sources.vpa.sum if sources.vpa else "",
        controllers=" ".join(release.controllers),
        feature_gates=module.manager_gates(sources.kubernetes),
    )
    return {key: value for key, value in asdict(built).items() if key != "path"}

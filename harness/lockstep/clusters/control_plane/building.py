"""Building the programs of a control plane from their Go modules, once, into the user's cache.

They live in `$XDG_CACHE_HOME/lockstep/control-plane/<Kubernetes version>/`, each with a small JSON file of what it was
built from. A program appears whole or not at all, and two processes that need it build it once.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lockstep import files
from lockstep.clusters.control_plane.programs import ETCD, Program, link_flags, release_of, version_of
from lockstep.files import locked, write_whole
from lockstep.implementations.upstream import module
from lockstep.implementations.upstream.errors import BuildFailed
from lockstep.implementations.upstream.golang import OLDEST, Go, find_go, run_go
from lockstep.implementations.upstream.releases import RELEASES

Progress = Callable[[str], None]


def cache_folder(kubernetes: str) -> Path:
    """Where the programs of this Kubernetes version are kept."""
    return files.cache_folder("control-plane") / kubernetes


def cached(program: Program, kubernetes: str) -> Path | None:
    """The program in our cache, if it was built from what we would build it from now."""
    path = cache_folder(kubernetes) / program.name
    try:
        facts = json.loads(_facts_file(path).read_text())
    except (OSError, ValueError):
        return None
    return path if facts == _facts(program, kubernetes) and path.is_file() else None


def build(program: Program, kubernetes: str, progress: Progress) -> Path:
    """The program in our cache, built now if necessary. Raises BuildFailed."""
    if not version_of(program, kubernetes):
        raise BuildFailed(f"there is no {program.name} that belongs to Kubernetes {kubernetes}")
    path = cache_folder(kubernetes) / program.name
    found = cached(program, kubernetes)
    if found is None:
        go = find_go(RELEASES.get(kubernetes, OLDEST))
        with locked(path):
            found = cached(program, kubernetes) or _build(program, kubernetes, go, path, progress)
    return found


def _facts_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _facts(program: Program, kubernetes: str) -> dict[str, str]:
    """What a build depends on."""
    return {
        "package": program.package,
        "version": version_of(program, kubernetes),
        "flags": link_flags(program, kubernetes),
    }


def _build(program: Program, kubernetes: str, go: Go, path: Path, progress: Progress) -> Path:
    what = f"{program.name} {version_of(program, kubernetes)}"
    scratch = Path(tempfile.mkdtemp(prefix=f".{program.name}.", dir=path.parent))
    began = time.monotonic()
    try:
        _write_module(program, kubernetes, go, scratch, progress)
        progress(f"compiling {what} with {go.version}: the first time takes a few minutes")
        flags = ["-mod=mod", "-trimpath", f"-ldflags={link_flags(program, kubernetes)}"]
        run_go(go, ["build", *flags, "-o", program.name, program.package], scratch, f"compiling {what}", progress)
        (scratch / program.name).replace(path)
        write_whole(_facts_file(path), json.dumps(_facts(program, kubernetes), indent=1) + "\n")
    except OSError as error:
        raise BuildFailed(f"cannot write {what} to {path.parent}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    progress(f"{what} is ready, after {time.monotonic() - began:.0f} s")
    return path


def _write_module(program: Program, kubernetes: str, go: Go, folder: Path, progress: Progress) -> None:
    if program.module == ETCD:
        # Its go.mod pins all its dependencies, so requiring it is enough.
        version = f"v{version_of(program, kubernetes)}"
        (folder / "go.mod").write_text(f"module lockstep/etcd\n\ngo 1.24.0\n\nrequire {program.package} {version}\n")
        return
    release = release_of(program, kubernetes)
    module.write_plain_module(release, module.fetch(release, go, folder, progress), folder)

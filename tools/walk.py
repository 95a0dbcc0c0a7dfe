"""Walks through pages as their readers do: `python -m tools.walk [--install WHEEL] PAGE...`.

Each page starts in an empty folder. A block below "Save this as `PATH`:" becomes that file. Commands (`$ ...`) run one
after the other in one shell, and must print what the page shows below them: `...` stands for any lines. Figures of the
machine (wall time, speed) may differ. A command must succeed unless the page shows a run that is not green.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_SAVE = re.compile(r"[Ss]ave this as `([^`]+)`[^\n]*:$")
_INSTALLS = re.compile(r"(python3 -m venv|pip install) ")
_NEEDS_GO = re.compile(r"upstream|\bgo \w|lockstep record")
#: The package as users install it.
_PACKAGE = "kube-lockstep"
_MARK = "----- exit code "
_ANY = "..."


@dataclass(frozen=True)
class File:
    """A file that the page has its reader write."""

    path: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command, with the lines that the page shows below it."""

    text: str
    shown: tuple[str, ...]

    @property
    def installs(self) -> bool:
        """Whether it brings Lockstep into the reader's environment."""
        return _INSTALLS.match(self.text) is not None

    @property
    def needs_go(self) -> bool:
        """Whether it runs upstream's own controllers."""
        return _NEEDS_GO.search(self.text) is not None

    @property
    def may_fail(self) -> bool:
        """Whether the page shows that it fails."""
        return any(line.startswith(("not green", "lockstep")) or " failed" in line for line in self.shown)


def steps(page: str) -> Iterator[File | Command]:
    """What a page has its reader do, in order."""
    for block in _BLOCK.finditer(page):
        saved = _SAVE.search(page[: block.start()].rstrip())
        if saved:
            yield File(saved[1], block["text"])
        elif block["language"] == "console":
            yield from _commands(block["text"])


def _commands(text: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.replace("\\\n", "").rstrip("\n").split("\n")
        yield Command(re.sub(r" {2,}", " ", lines[0]), tuple(lines[1:]))


def walk(
    page: str, folder: Path, environment: Mapping[str, str], *, install: str = "", with_go: bool = True
) -> list[str]:
    """Do what a page says, in an empty folder; what was not as shown, if anything.

    `install` is what `pip install` gets in place of the published package; without it, commands that install are left
    out. Without `with_go`, the walk ends before the first command that needs Go.
    """
    done: list[Command] = []
    script = ["exec 2>&1"]
    for step in steps(page):
        if isinstance(step, File):
            script.append(_writing(step))
            continue
        if step.needs_go and not with_go:
            break
        if step.installs and not install:
            continue
        done.append(step)
        script.append(f"{step.text.replace(_PACKAGE, install or _PACKAGE)}\necho '{_MARK}'$?")
    run = subprocess.run(  # noqa: S603 - the pages are ours
        ["/bin/bash", "-c", "\n".join(script)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    outputs = re.split(rf"{_MARK}(\d+)\n", run.stdout)
    said = [(text.rstrip("\n").split("\n"), int(code)) for text, code in zip(outputs[::2], outputs[1::2], strict=False)]
    if len(said) != len(done):
        return [f"{len(said)} of {len(done)} commands ended; the last words: {run.stdout[-500:]}{run.stderr[-500:]}"]
    return [
        complaint
        for command, (lines, code) in zip(done, said, strict=True)
        if (complaint := _complaint(command, lines, code))
    ]


def _writing(file: File) -> str:
    return f"mkdir -p \"$(dirname '{file.path}')\" && cat > '{file.path}' <<'END OF FILE'\n{file.text}END OF FILE"


def _complaint(command: Command, lines: Sequence[str], code: int) -> str:
    if code and not command.may_fail:
        return f"$ {command.text}\nfailed with {code}:\n" + "\n".join(lines)
    if command.shown and not _fits(list(map(_plain, command.shown)), list(map(_plain, lines))):
        return f"$ {command.text}\nthe page shows:\n" + "\n".join(command.shown) + "\nit prints:\n" + "\n".join(lines)
    return ""


def _plain(line: str) -> str:
    """A line without the figures of a machine, and without spacing."""
    line = re.sub(r"[\d.,]+ (s|ms|min [\d.]+ s) +x[\d,.]+", "T xN", line)
    line = re.sub(r"in \d+\.\d+s", "in T", line)
    return re.sub(r"[ ─=-]{2,}", " ", line).strip()


def _fits(shown: Sequence[str], lines: Sequence[str]) -> bool:
    if not shown:
        return not lines
    if shown[0] == _ANY:
        return any(_fits(shown[1:], lines[skipped:]) for skipped in range(len(lines) + 1))
    return bool(lines) and shown[0] == lines[0] and _fits(shown[1:], lines[1:])


def main(arguments: Sequence[str]) -> int:
    """Walk through the pages that are named, and print what was not as shown."""
    words = list(arguments)
    install = ""
    if words[:1] == ["--install"]:
        install, words = str(Path(words[1]).resolve()), words[2:]
    failed = 0
    for page in words:
        with tempfile.TemporaryDirectory(prefix="lockstep-walk-") as folder:
            complaints = walk(Path(page).read_text(encoding="utf-8"), Path(folder), os.environ, install=install)
        print(f"{page}: {'as shown' if not complaints else 'NOT as shown'}")  # noqa: T201 - the output of a tool
        print("\n\n".join(complaints), end="\n" if complaints else "")  # noqa: T201
        failed += bool(complaints)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

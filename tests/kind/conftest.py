"""Programs that stand in for Docker and its like, and a cache of the test's own."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

_FAKE = Path(__file__).with_name("fake_tools.py")


@dataclass(frozen=True)
class Tools:
    """What the stand-ins have and were asked."""

    state: Path
    programs: Path

    def calls(self, start: str) -> list[str]:
        file = self.state / "calls"
        return [line for line in file.read_text().splitlines() if line.startswith(start)] if file.is_file() else []

    def break_(self, call: str, complaint: str) -> None:
        with (self.state / "broken").open("a") as broken:
            broken.write(f"{call}: {complaint}\n")

    def mend(self) -> None:
        (self.state / "broken").unlink()

    def add_image(self, tag: str, recipe: str) -> None:
        (self.state / "images" / tag.replace("/", "+")).write_text(recipe)

    def images(self) -> dict[str, str]:
        return {file.name.replace("+", "/"): file.read_text() for file in (self.state / "images").iterdir()}

    def add_cluster(self, name: str, whose: str) -> None:
        (self.state / "clusters" / name).write_text(whose)

    def clusters(self) -> list[str]:
        return sorted(file.name for file in (self.state / "clusters").iterdir())

    def remove(self, program: str) -> None:
        (self.programs / program).unlink()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "lockstep" / "kind"


@pytest.fixture
def tools(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    tools = Tools(tmp_path / "state", tmp_path / "programs")
    for folder in (tools.state / "images", tools.state / "clusters", tools.programs):
        folder.mkdir(parents=True)
    for name in ("docker", "kind", "kubectl", "zstd"):
        program = tools.programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-I", "-S", str(_FAKE), name])} "$@"\n')
        program.chmod(0o755)
    for name in ("sh", "setpriv"):
        (tools.programs / name).symlink_to(f"/usr/bin/{name}")
    monkeypatch.setenv("PATH", str(tools.programs))
    monkeypatch.setenv("FAKE_TOOLS", str(tools.state))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    return tools

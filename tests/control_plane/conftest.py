"""An empty cache and a stand-in for Go, for tests of finding and building; real programs for those that are marked."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

_FAKE_GO = Path(__file__).with_name("fake_go.py")
_GO_MOD = """module k8s.io/kubernetes

go 1.26.0

require k8s.io/klog/v2 v2.140.0

replace (
\tk8s.io/api => ./staging/src/k8s.io/api
)
"""


@pytest.fixture(autouse=True)
def _kept_logs_go_with_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The calls of a `go` that is the only program on PATH, beside an empty cache."""
    tree, tools = tmp_path / "tree", tmp_path / "tools"
    tree.mkdir()
    tools.mkdir()
    (tree / "go.mod").write_text(_GO_MOD)
    (tree / "go.sum").write_text("sums\n")
    (tools / "go").write_text(f'#!/bin/sh\nexec {sys.executable} -S {_FAKE_GO} "$@"\n')
    (tools / "go").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("FAKE_TREE", str(tree))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    return tree / "calls"

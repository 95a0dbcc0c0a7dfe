"""The oracle is built once for a release of the VPA, in a module that pins what the VPA pins. Go is a stand-in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lockstep.implementations.upstream import golang, oracle
from lockstep.implementations.upstream.build import cache_root
from lockstep.implementations.upstream.errors import BuildFailed
from lockstep.implementations.upstream.oracle import build_oracle

#: Stands in for the `go` tool: its arguments go to a file `calls` beside the tree of the VPA.
_GO = """#!/bin/sh
echo "$@" >> "{calls}"
case "$*" in
"env GOVERSION") echo go1.26.8 ;;
"mod download "*) echo '{{"Dir": "{tree}"}}' ;;
*) [ -z "$FAKE_GO_FAILS" ] || {{ echo "oracle.go:7:2: undefined: podz" >&2; exit 1; }}; cp go.mod oracle.test ;;
esac
"""
_GO_MOD = "module k8s.io/autoscaler/vertical-pod-autoscaler\n\ngo 1.26.0\n\nrequire k8s.io/api v0.36.5\n"


@pytest.fixture(autouse=True)
def vpa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A VPA's tree, a `go` that knows it, and an empty cache."""
    tree = tmp_path / "vertical-pod-autoscaler"
    tree.mkdir()
    (tree / "go.mod").write_text(_GO_MOD)
    (tree / "go.sum").write_text("k8s.io/api v0.36.5 h1:abc=\n")
    (tree / "go.sum").chmod(0o444)  # as the module cache has it
    tool = tmp_path / "bin/go"
    tool.parent.mkdir()
    tool.write_text(_GO.format(calls=tmp_path / "calls", tree=tree))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path / "none"))
    golang.probe.cache_clear()
    return tree


def test_it_is_built_once(vpa: Path) -> None:
    binary = build_oracle("1.7.3")
    assert build_oracle("1.7.3") == binary
    calls = (vpa.parent / "calls").read_text()
    assert calls.count("test -c") == 1
    assert "mod download -json k8s.io/autoscaler/vertical-pod-autoscaler@v1.7.3\n" in calls
    assert binary.parent.name.startswith("oracle-1.7.3-")


def test_the_module_pins_what_the_vpa_pins() -> None:
    assert build_oracle("1.7.3").read_text() == (
        "module kube-lockstep/oracle\n\ngo 1.26.0\n\nrequire k8s.io/api v0.36.5\n"
        "\nrequire k8s.io/autoscaler/vertical-pod-autoscaler v1.7.3\n"
    )


def test_a_tree_that_is_not_the_vpa_s_is_refused(vpa: Path) -> None:
    (vpa / "go.mod").write_text("module example.com/other\n")
    with pytest.raises(BuildFailed, match=r"is it the VPA's\?"):
        build_oracle("1.7.3")


def test_a_failed_build_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GO_FAILS", "yes")
    with pytest.raises(BuildFailed, match=r"compiling the oracle failed(?s:.)*undefined: podz"):
        build_oracle("1.7.3")
    assert list(cache_root().iterdir()) == []


def test_old_builds_of_the_release_go(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        monkeypatch.setattr(oracle, "_digest", lambda number=number: f"digest{number}")
        build_oracle("1.7.3")
        os.utime(build_oracle("1.7.3").parent, (number, number))
    monkeypatch.setattr(oracle, "_digest", lambda: "other")
    build_oracle("1.8.1")
    names = sorted(folder.name.split("-go")[0] for folder in cache_root().iterdir())
    assert names == [*(f"oracle-1.7.3-digest{number}" for number in (2, 3, 4, 5)), "oracle-1.8.1-other"]

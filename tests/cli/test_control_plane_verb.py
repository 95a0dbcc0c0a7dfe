"""`lockstep control-plane`: what is found is shown, what is missing is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.cli import main


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, on a machine that has no others and no Go."""
    folder = tmp_path / "assets"
    folder.mkdir()
    for name, says in (
        ("etcd", "etcd Version: 3.6.8"),
        ("kube-apiserver", "Kubernetes v1.36.3"),
        ("kube-controller-manager", "Kubernetes v1.36.3"),
    ):
        (folder / name).write_text(f"#!/bin/sh\necho '{says}'\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(folder))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    return folder


def test_info_says_where_each_program_is(assets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["control-plane", "info"]) == 0
    lines = {line.split()[0]: " ".join(line.split()[1:]) for line in capsys.readouterr().out.splitlines() if line}
    assert lines["etcd"] == f"{assets / 'etcd'} (KUBEBUILDER_ASSETS)"
    assert lines["vpa-updater"] == "not found; will be built"


def test_build_takes_what_is_there(assets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["control-plane", "build"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"kube-apiserver is ready: {assets / 'kube-apiserver'}",
        f"etcd is ready: {assets / 'etcd'}",
        f"kube-controller-manager is ready: {assets / 'kube-controller-manager'}",
    ]


def test_what_cannot_be_built_ends_with_one_line(assets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (assets / "kube-apiserver").unlink()
    assert main(["control-plane", "build"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("lockstep: building upstream needs Go 1.26 or newer, found none.")
    assert said.count("\n") == 1


def test_a_wrong_version_ends_with_one_line(assets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["control-plane", "info", "1.34.4"]) == 2
    assert "is version 1.36.3, but 1.34.4 is needed" in capsys.readouterr().err

"""Programs are looked for as envtest does, and one of another version is never taken by accident."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.clusters.control_plane import ControlPlaneFailed
from lockstep.clusters.control_plane.binaries import find, provide, reported_version
from lockstep.clusters.control_plane.building import build
from lockstep.clusters.control_plane.programs import AUTOSCALERS, MANAGER, SERVER, STORE, Program
from lockstep.implementations.upstream.errors import BuildFailed


@pytest.fixture(autouse=True)
def no_memory() -> None:
    reported_version.cache_clear()


def _program(folder: Path, name: str, says: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho '{says}'\n")
    (folder / name).chmod(0o755)
    return folder / name


def _on_path(go: Path, name: str, says: str) -> Path:
    return _program(go.parent.parent / "tools", name, says)


def _asset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str) -> Path:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path / "assets"))
    return _program(tmp_path / "assets", name, says)


def _found(program: Program) -> tuple[Path, str] | None:
    found = find(program, "1.36.3")
    return (found.path, found.origin) if found else None


def test_assets_come_first_then_path_then_the_cache(go: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found(SERVER) is None
    kept = build(SERVER, "1.36.3", print)
    assert _found(SERVER) == (kept, "cache")
    on_path = _on_path(go, "kube-apiserver", "Kubernetes v1.36.3")
    assert _found(SERVER) == (on_path, "PATH")
    asset = _asset(tmp_path, monkeypatch, "kube-apiserver", "Kubernetes v1.36.3")
    assert _found(SERVER) == (asset, "KUBEBUILDER_ASSETS")
    assert _found(MANAGER) is None, "envtest's assets have no kube-controller-manager; it comes from elsewhere"


def test_another_version_on_path_is_passed_over(go: Path) -> None:
    _on_path(go, "kube-apiserver", "Kubernetes v1.36.2")
    assert _found(SERVER) is None


def test_another_version_in_the_assets_is_refused(go: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _asset(tmp_path, monkeypatch, "kube-apiserver", "Kubernetes v1.34.1")
    with pytest.raises(ControlPlaneFailed) as refused:
        find(SERVER, "1.36.3")
    assert str(refused.value).startswith(f"{path} is version 1.34.1, but 1.36.3 is needed: let KUBEBUILDER_ASSETS")


@pytest.mark.parametrize(("says", "good"), [("3.4.23", True), ("3.6.8", True), ("3.3.27", False)])
def test_any_etcd_will_do_that_is_not_too_old(go: Path, says: str, good: bool) -> None:
    path = _on_path(go, "etcd", f"etcd Version: {says}\nGit SHA: Not provided")
    assert _found(STORE) == ((path, "PATH") if good else None)


def test_a_program_without_a_version_is_not_used(go: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _on_path(go, "etcd", "nonsense")
    assert _found(STORE) is None
    _asset(tmp_path, monkeypatch, "kube-controller-manager", "nonsense")
    with pytest.raises(ControlPlaneFailed, match=r"reports no version, but 1\.36\.3 is needed"):
        find(MANAGER, "1.36.3")


def test_programs_of_the_vpa_cannot_be_asked(go: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _on_path(go, "vpa-recommender", "usage")
    assert _found(AUTOSCALERS[0]) is None
    asset = _asset(tmp_path, monkeypatch, "vpa-recommender", "usage")
    assert _found(AUTOSCALERS[0]) == (asset, "KUBEBUILDER_ASSETS")


def test_a_file_that_is_no_program_is_not_there(go: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _asset(tmp_path, monkeypatch, "etcd", "etcd Version: 3.6.8").chmod(0o644)
    assert _found(STORE) is None


def test_only_what_is_missing_is_built(go: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _on_path(go, "etcd", "etcd Version: 3.6.8")
    found = provide((STORE, SERVER), "1.36.3", print)
    assert {name: one.origin for name, one in found.items()} == {"etcd": "PATH", "kube-apiserver": "build"}
    monkeypatch.setenv("FAKE_GO_FAILS", "1")
    provide((STORE, SERVER), "1.36.3", print)
    with pytest.raises(BuildFailed):
        provide((MANAGER,), "1.36.3", print)


@pytest.mark.parametrize("version", ["1.36", "v1.36.3", "path=x", "vpa-1.8.1", "newest"])
def test_what_is_no_version_is_refused(go: Path, version: str) -> None:
    with pytest.raises(ControlPlaneFailed, match="is not a Kubernetes version: write one such as"):
        provide((SERVER,), version, print)
    assert not go.exists()

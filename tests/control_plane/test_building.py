"""A program is built once, whole or not at all. The Go tool is a stand-in."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.clusters.control_plane.building import build, cache_folder, cached
from lockstep.clusters.control_plane.programs import AUTOSCALERS, MANAGER, PROGRAMS, SERVER, STORE
from lockstep.implementations.upstream.errors import BuildFailed


@pytest.fixture
def said() -> list[str]:
    return []


def test_it_is_built_from_its_module_with_its_version_stamped(go: Path, said: list[str]) -> None:
    path = build(SERVER, "1.36.3", said.append)
    assert path == cache_folder("1.36.3") / "kube-apiserver"
    assert "\tk8s.io/api => k8s.io/api v0.36.3\n" in path.read_text()
    assert "\tk8s.io/kubernetes v1.36.3\n" in path.read_text()
    compiled = go.read_text().splitlines()[-1]
    assert "-X k8s.io/component-base/version.gitVersion=v1.36.3" in compiled
    assert "version.gitMajor=1" in compiled
    assert "version.gitMinor=36" in compiled
    assert compiled.endswith("k8s.io/kubernetes/cmd/kube-apiserver")
    assert said[0] == "fetching Kubernetes 1.36.3"
    assert said[1].startswith("compiling kube-apiserver 1.36.3 with go1.26.8")
    assert said[-1].startswith("kube-apiserver 1.36.3 is ready")


def test_etcd_has_a_version_of_its_own(go: Path, said: list[str]) -> None:
    path = build(STORE, "1.36.3", said.append)
    assert path.parent == cache_folder("1.36.3")
    assert "require go.etcd.io/etcd/server/v3 v3.6.8\n" in path.read_text()
    assert "version.gitVersion" not in go.read_text()


def test_programs_of_the_vpa_are_built_without_kubernetes(go: Path, said: list[str]) -> None:
    path = build(AUTOSCALERS[0], "1.36.3", said.append)
    assert path.name == "vpa-recommender"
    assert "\tk8s.io/autoscaler/vertical-pod-autoscaler v1.7.3\n" in path.read_text()
    assert "k8s.io/kubernetes" not in path.read_text()


def test_a_release_without_a_vpa_says_so(go: Path, said: list[str]) -> None:
    with pytest.raises(BuildFailed, match=r"there is no vpa-updater that belongs to Kubernetes 1\.34\.4"):
        build(PROGRAMS["vpa-updater"], "1.34.4", said.append)


def test_what_is_built_is_not_built_again(go: Path, said: list[str]) -> None:
    first = build(MANAGER, "1.36.3", said.append)
    calls = go.read_text()
    said.clear()
    assert build(MANAGER, "1.36.3", said.append) == first
    assert go.read_text() == calls
    assert said == []


def test_what_would_be_made_otherwise_today_is_built_again(go: Path, said: list[str]) -> None:
    facts = build(MANAGER, "1.36.3", said.append).with_name("kube-controller-manager.json")
    facts.write_text(facts.read_text().replace("-s -w", "-s"))
    assert cached(MANAGER, "1.36.3") is None
    build(MANAGER, "1.36.3", said.append)
    assert "-s -w" in facts.read_text()


def test_a_failure_leaves_nothing_behind(go: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GO_FAILS", "1")
    with pytest.raises(BuildFailed, match=r"compiling kube-apiserver 1\.36\.3 failed") as failure:
        build(SERVER, "1.36.3", said.append)
    assert "undefined: podz" in str(failure.value)
    assert [one.name for one in cache_folder("1.36.3").iterdir()] == [".kube-apiserver.lock"]


def test_a_cache_that_cannot_be_written_says_so(go: Path, said: list[str]) -> None:
    folder = cache_folder("1.36.3")
    (folder / "etcd").mkdir(parents=True)
    (folder / "etcd/in the way").touch()
    with pytest.raises(BuildFailed, match=r"cannot write etcd 3\.6\.8 to .*: Is a directory"):
        build(STORE, "1.36.3", said.append)

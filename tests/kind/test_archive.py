"""The archive of images is what `docker save` would write: each name leads to its layers, and digests hold."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tools.node_image import archive
from tools.node_image.archive import Image


def _program(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text(f"the program {name}")
    path.chmod(0o700)
    return path


@pytest.fixture
def images(tmp_path: Path) -> list[Image]:
    below = tmp_path / "below.tar"
    with tarfile.open(below, "w") as tar:
        tar.addfile(tarfile.TarInfo("etc/protocols"))
    programs = {"usr/local/bin/kube-proxy": _program(tmp_path, "kube-proxy")}
    links = {"usr/sbin/iptables": "xtables-nft-multi"}
    return [
        Image("registry.k8s.io/pause:3.10.2", {"pause": _program(tmp_path, "pause")}, ("/pause",), user="65535:65535"),
        Image("registry.k8s.io/kube-proxy:v1.36.3", programs, links=links, folders=("tmp",), below=below),
    ]


def _read(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        return {entry.name: content.read() for entry in tar if (content := tar.extractfile(entry)) is not None}


def _layer(content: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        return {entry.name: entry for entry in tar}


def _written(images: list[Image], folder: Path) -> tuple[dict[str, bytes], list[dict[str, Any]]]:
    target = folder / "images.tar"
    archive.write(images, target, folder)
    files = _read(target)
    return files, json.loads(files["manifest.json"])


def test_names_lead_to_configuration_and_layers(images: list[Image], tmp_path: Path) -> None:
    files, manifest = _written(images, tmp_path)
    assert [entry["RepoTags"] for entry in manifest] == [[image.name] for image in images]
    for entry in manifest:
        config = json.loads(files[entry["Config"]])
        digests = [hashlib.sha256(files[layer]).hexdigest() for layer in entry["Layers"]]
        assert config["rootfs"]["diff_ids"] == [f"sha256:{digest}" for digest in digests]
        assert entry["Layers"] == [f"{digest}.tar" for digest in digests]
        assert entry["Config"] == f"{hashlib.sha256(files[entry['Config']]).hexdigest()}.json"


def test_what_runs_and_as_which_user(images: list[Image], tmp_path: Path) -> None:
    files, manifest = _written(images, tmp_path)
    pause, proxy = (json.loads(files[entry["Config"]])["config"] for entry in manifest)
    assert (pause["Entrypoint"], pause["User"]) == (["/pause"], "65535:65535")
    assert "Entrypoint" not in proxy
    assert "/usr/local/bin" in proxy["Env"][0]


def test_what_is_in_a_layer(images: list[Image], tmp_path: Path) -> None:
    files, manifest = _written(images, tmp_path)
    below, own = (_layer(files[layer]) for layer in manifest[1]["Layers"])
    assert list(below) == ["etc/protocols"]
    assert {name: (entry.type, entry.mode) for name, entry in own.items()} == {
        "usr": (tarfile.DIRTYPE, 0o755),
        "usr/local": (tarfile.DIRTYPE, 0o755),
        "usr/local/bin": (tarfile.DIRTYPE, 0o755),
        "usr/sbin": (tarfile.DIRTYPE, 0o755),
        "tmp": (tarfile.DIRTYPE, 0o1777),
        "usr/local/bin/kube-proxy": (tarfile.REGTYPE, 0o755),
        "usr/sbin/iptables": (tarfile.SYMTYPE, 0o777),
    }
    assert own["usr/sbin/iptables"].linkname == "xtables-nft-multi"


def test_the_same_programs_make_the_same_archive(images: list[Image], tmp_path: Path) -> None:
    archive.write(images, tmp_path / "one.tar", tmp_path)
    archive.write(images, tmp_path / "two.tar", tmp_path)
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    assert not list(tmp_path.glob("[0-9].tar"))

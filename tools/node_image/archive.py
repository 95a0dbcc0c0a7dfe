"""Container images as a file, in the format of `docker save`, written without Docker.

Going through Docker would need the names that kubeadm asks for, such as registry.k8s.io/pause, and these may belong to
images that the user has.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from tools.node_image import versions

_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Image:
    """An image: its full name, and what is in it.

    `programs`: path in the image -> file on disk. `links`: path -> what it points to. `folders` are empty, and anyone
    may write there. `below`: a tar with what lies below all this.
    """

    name: str
    programs: dict[str, Path]
    entrypoint: tuple[str, ...] = ()
    links: dict[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    below: Path | None = None
    user: str = ""


def write(images: Sequence[Image], target: Path, scratch: Path) -> None:
    """Write the images to one file. `scratch` is a folder for the layers meanwhile."""
    manifest = []
    with tarfile.open(target, "w") as archive:
        for number, image in enumerate(images):
            own = scratch / f"{number}.tar"
            _write_layer(image, own)
            layers = [layer for layer in (image.below, own) if layer is not None]
            names = [_add_layer(archive, layer) for layer in layers]
            config = json.dumps(_config(image, names)).encode()
            named = f"{hashlib.sha256(config).hexdigest()}.json"
            _add(archive, named, config)
            manifest.append({"Config": named, "RepoTags": [image.name], "Layers": [f"{name}.tar" for name in names]})
            own.unlink()
        _add(archive, "manifest.json", json.dumps(manifest).encode())


def _config(image: Image, layers: Sequence[str]) -> dict[str, Any]:
    run: dict[str, Any] = {"Env": [_PATH]}
    if image.entrypoint:
        run["Entrypoint"] = list(image.entrypoint)
    if image.user:
        run["User"] = image.user
    return {
        "architecture": versions.architecture(),
        "os": "linux",
        "config": run,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{name}" for name in layers]},
    }


def _write_layer(image: Image, target: Path) -> None:
    with tarfile.open(target, "w") as layer:
        paths = [*image.programs, *image.links, *image.folders]
        for folder in sorted({parent for path in paths for parent in _parents(path)} - set(image.folders)):
            layer.addfile(_entry(folder, tarfile.DIRTYPE, 0o755))
        for path in image.folders:
            layer.addfile(_entry(path, tarfile.DIRTYPE, 0o1777))
        for path, program in image.programs.items():
            entry = _entry(path, tarfile.REGTYPE, 0o755)
            entry.size = program.stat().st_size
            with program.open("rb") as content:
                layer.addfile(entry, content)
        for path, to in image.links.items():
            entry = _entry(path, tarfile.SYMTYPE, 0o777)
            entry.linkname = to
            layer.addfile(entry)


def _parents(path: str) -> list[str]:
    return [str(parent) for parent in PurePosixPath(path).parents if str(parent) != "."]


def _entry(path: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    """An entry of root's, from the beginning of time: the same content makes the same layer."""
    entry = tarfile.TarInfo(path)
    entry.type, entry.mode = kind, mode
    return entry


def _add_layer(archive: tarfile.TarFile, layer: Path) -> str:
    content = hashlib.sha256()
    with layer.open("rb") as file:
        while chunk := file.read(_CHUNK):
            content.update(chunk)
        file.seek(0)
        entry = tarfile.TarInfo(f"{content.hexdigest()}.tar")
        entry.size = layer.stat().st_size
        archive.addfile(entry, file)
    return content.hexdigest()


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))

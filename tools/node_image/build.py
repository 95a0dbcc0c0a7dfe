"""A node image, ready in Docker: found there, loaded from the cache, or built. Only the last of these takes minutes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.cache import tool, tool_path
from lockstep.clusters.kind.commands import need
from lockstep.clusters.kind.docker import docker, image_label, require_daemon
from lockstep.clusters.kind.node_image import RECIPE, default_tag
from lockstep.implementations.upstream.golang import Go, find_go
from tools.node_image import archive, components, debian, docker_images, node, parts, programs, versions

Progress = Callable[[str], None]

_ARCHIVE = "image.tar.zst"
_KEPT = 2  # images of 260 MB each
_TOOLS = ("kind", "kubectl")


@dataclass(frozen=True, slots=True)
class NodeImage:
    """An image in Docker, and the programs to use it with. `how`: "was there", "loaded" or "built"."""

    tag: str
    kind: Path
    kubectl: Path
    how: str


def kind_image(kubernetes: str = versions.KUBERNETES[0], tag: str = "", progress: Progress = print) -> NodeImage:
    """The node image of a release of Kubernetes under `tag`, made if need be. Raises KindFailed or BuildFailed.

    `progress` gets a line for each step that took time.
    """
    versions.check(kubernetes)
    require_daemon()
    tag = tag or default_tag(kubernetes)
    name = recipe(kubernetes)
    how = "was there"
    if not _is_ready(tag, name):
        with parts.locked("image"):  # two builds at a time would only be in each other's way
            if not _is_ready(tag, name):
                how = _provide(kubernetes, tag, name, progress)
    kind, kubectl = map(tool_path, _TOOLS)
    return NodeImage(tag, kind, kubectl, how)


def recipe(kubernetes: str) -> str:
    """The name of an image: everything that decides what is in it."""
    ours = parts.tree_digest(Path(__file__).parent)
    inputs = (ours, kubernetes, versions.KIND, versions.CONTAINERD, versions.DEBIAN, versions.architecture())
    return parts.digest(*inputs)


def _is_ready(tag: str, name: str) -> bool:
    return _is_there(tag, name) and all(map(tool, _TOOLS))


def _is_there(tag: str, name: str) -> bool:
    label = image_label(tag, RECIPE)
    if label == "":
        raise KindFailed(
            f"the image {tag} was not made by Lockstep, so it is left alone; name another one with --tag, "
            f"or remove it: docker image rm {tag}"
        )
    return label == name


def _provide(kubernetes: str, tag: str, name: str, progress: Progress) -> str:
    inputs = [name]
    kept = parts.part_path("image", inputs) / _ARCHIVE
    own = f"lockstep/node:{name}"
    if kept.is_file() and all(map(tool, _TOOLS)):
        with _step(f"loading {tag} from {kept}", progress):
            docker_images.load(kept)
        how = "loaded"
    else:
        _build(kubernetes, own, name, progress)
        with _step("keeping it for the next Docker daemon", progress):
            parts.part("image", inputs, lambda folder: docker_images.save(own, folder / _ARCHIVE))
        parts.prune("image", _KEPT)
        how = "built"
    docker("tag", own, tag, what=f"naming the image {tag}")
    docker("image", "rm", own, what=f"removing the name {own}")
    return how


def _build(kubernetes: str, tag: str, name: str, progress: Progress) -> None:
    debian.require()
    need("zstd", "which compresses the image for the cache: apt-get install zstd")
    go = find_go(versions.GO)
    with _step(f"Kubernetes {kubernetes}, {len(programs.kubernetes(kubernetes).packages)} programs", progress):
        kubernetes_programs = programs.built(programs.kubernetes(kubernetes), go)
    with _step(f"kind {versions.KIND}", progress):
        kind = programs.built(programs.kind(), go)
    with _step(f"containerd {versions.CONTAINERD}", progress):
        containerd = programs.built(programs.containerd(), go)
    named = components.names(kubernetes_programs / "kubeadm", kubernetes)
    with _step(f"etcd {named.version('etcd')}, CoreDNS {named.version('coredns')}, kube-proxy's tools", progress):
        images = components.images(named, kubernetes_programs, go)
    with _step(f"Debian {versions.DEBIAN}, {len(debian.NODE.packages)} packages and what they need", progress):
        debian.built(debian.NODE)
    with parts.scratch("context") as context:
        with _step(f"{len(images)} images of the control plane", progress):
            archive.write(images, context / "images.tar", context)
            files = _kind_files(go)
            node.lay_out(context, kubernetes, kubernetes_programs, containerd, files, named.of["pause"])
        with _step("the node image", progress):
            docker_images.build(context, tag, RECIPE, name)
    parts.link_tool(kind / "kind")
    parts.link_tool(kubernetes_programs / "kubectl")


def _kind_files(go: Go) -> Path:
    with parts.scratch("kind-files") as folder:
        return programs.kind_files(go, folder)


@contextmanager
def _step(what: str, progress: Progress) -> Iterator[None]:
    """Tell `progress` that a step begins, and how long it took in the end."""
    progress(f"{what} ...")
    began = time.monotonic()
    yield
    progress(f"{what}: {time.monotonic() - began:.0f} s")

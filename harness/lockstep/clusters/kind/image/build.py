"""A node image, ready in Docker: found there, loaded from the cache, or built. Only the last of these takes minutes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lockstep.clusters.kind import KindFailed, cache, docker
from lockstep.clusters.kind.commands import need
from lockstep.clusters.kind.image import archive, components, debian, node, programs, versions
from lockstep.implementations.upstream.golang import Go, find_go

Progress = Callable[[str], None]

#: The label of an image of ours; its value names the recipe and the versions.
RECIPE = "io.lockstep.recipe"
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
    docker.require_daemon()
    tag = tag or versions.default_tag(kubernetes)
    name = recipe(kubernetes)
    how = "was there"
    if not _is_ready(tag, name):
        with cache.locked("image"):  # two builds at a time would only be in each other's way
            if not _is_ready(tag, name):
                how = _provide(kubernetes, tag, name, progress)
    kind, kubectl = map(cache.tool_path, _TOOLS)
    return NodeImage(tag, kind, kubectl, how)


def recipe(kubernetes: str) -> str:
    """The name of an image: everything that decides what is in it."""
    ours = cache.tree_digest(Path(__file__).parent)
    inputs = (ours, kubernetes, versions.KIND, versions.CONTAINERD, versions.DEBIAN, versions.architecture())
    return cache.digest(*inputs)


def _is_ready(tag: str, name: str) -> bool:
    return _is_there(tag, name) and all(map(cache.tool, _TOOLS))


def _is_there(tag: str, name: str) -> bool:
    label = docker.image_label(tag, RECIPE)
    if label == "":
        raise KindFailed(
            f"the image {tag} was not made by Lockstep, so it is left alone; name another one with --tag, "
            f"or remove it: docker image rm {tag}"
        )
    return label == name


def _provide(kubernetes: str, tag: str, name: str, progress: Progress) -> str:
    inputs = [name]
    kept = cache.part_path("image", inputs) / _ARCHIVE
    own = f"lockstep/node:{name}"
    if kept.is_file() and all(map(cache.tool, _TOOLS)):
        with _step(f"loading {tag} from {kept}", progress):
            docker.load(kept)
        how = "loaded"
    else:
        _build(kubernetes, own, name, progress)
        with _step("keeping it for the next Docker daemon", progress):
            cache.part("image", inputs, lambda folder: docker.save(own, folder / _ARCHIVE))
        cache.prune("image", _KEPT)
        how = "built"
    docker.docker("tag", own, tag, what=f"naming the image {tag}")
    docker.docker("image", "rm", own, what=f"removing the name {own}")
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
    with cache.scratch("context") as context:
        with _step(f"{len(images)} images of the control plane", progress):
            archive.write(images, context / "images.tar", context)
            files = _kind_files(go)
            node.lay_out(context, kubernetes, kubernetes_programs, containerd, files, named.of["pause"])
        with _step("the node image", progress):
            docker.build(context, tag, RECIPE, name)
    cache.link_tool(kind / "kind")
    cache.link_tool(kubernetes_programs / "kubectl")


def _kind_files(go: Go) -> Path:
    with cache.scratch("kind-files") as folder:
        return programs.kind_files(go, folder)


@contextmanager
def _step(what: str, progress: Progress) -> Iterator[None]:
    """Tell `progress` that a step begins, and how long it took in the end."""
    progress(f"{what} ...")
    began = time.monotonic()
    yield
    progress(f"{what}: {time.monotonic() - began:.0f} s")

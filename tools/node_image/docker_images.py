"""What Docker does for a node image: builds it, and writes it to a file or reads it from there."""

from __future__ import annotations

import subprocess
from pathlib import Path

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.commands import end_group, run
from lockstep.clusters.kind.docker import docker

#: The label of what a build leaves behind, as the Dockerfile has it.
STAGE = "io.lockstep.stage"


def build(context: Path, tag: str, label: str, value: str) -> None:
    """Build the Dockerfile of `context`, offline, and label the image. Raises KindFailed.

    The old builder needs no plugin, but each stage that it builds stays behind as an image without a name. The
    Dockerfile labels them, and they are removed.
    """
    arguments = ("build", "--network=none", "--force-rm", f"--label={label}={value}", f"--tag={tag}", context)
    docker(*arguments, what=f"building the image {tag}")
    docker("image", "prune", "--force", f"--filter=label={STAGE}", what="removing what the build left behind")


def save(tag: str, archive: Path) -> None:
    """Write an image to a tar compressed by zstd. Raises KindFailed."""
    _pipe(["docker", "save", tag], ["zstd", "-q", "-T0", "-3", "-f", "-o", str(archive)], f"saving the image {tag}")


def load(archive: Path) -> None:
    """Read an image as `save` wrote it; it has the tag that it had. Raises KindFailed."""
    _pipe(["zstd", "-q", "-d", "-c", str(archive)], ["docker", "load", "-q"], f"loading the image from {archive}")


def _pipe(first: list[str], second: list[str], what: str) -> None:
    """Run two programs, the output of one going into the other."""
    source = subprocess.Popen(  # noqa: S603 - docker or zstd
        first, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        assert source.stdout is not None
        run(second, what, stdin=source.stdout)
        source.stdout.close()
        if source.wait() != 0:
            raise KindFailed(f"{what} failed: `{' '.join(first)}` ended with code {source.returncode}")
    finally:
        end_group(source)

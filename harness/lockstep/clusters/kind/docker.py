"""The few uses of Docker, through its command line. DOCKER_HOST and `docker context` apply."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.commands import attempt, end_group, need, run

#: The label of images that a build leaves behind, set in the Dockerfile.
STAGE = "io.lockstep.stage"
_INSTALL = "which kind clusters run in: install Docker, such as by `apt-get install docker.io`"


def require_daemon() -> str:
    """The path of the client, once a daemon has answered it. Raises KindFailed."""
    client = need("docker", _INSTALL)
    answer = attempt([client, "version", "--format", "{{.Server.Version}}"])
    if answer.code != 0:
        where = os.environ.get("DOCKER_HOST") or "its usual place"
        raise KindFailed(
            f"no docker daemon answers at {where}: start one (dockerd), or set DOCKER_HOST to one; "
            f"docker said: {answer.reason}"
        )
    return client


def docker(*arguments: str | Path, what: str) -> str:
    """Run the client; `what` is being done, for messages. Raises KindFailed."""
    return run(["docker", *arguments], what)


def image_label(tag: str, label: str) -> str | None:
    """The value of a label of an image: "" if the image has no such label, None if there is no image of this tag."""
    template = f'{{{{index .Config.Labels "{label}"}}}}'
    answer = attempt(["docker", "image", "inspect", "--format", template, tag])
    if answer.code != 0:
        if "no such image" in answer.complaint.lower():
            return None
        raise KindFailed(f"cannot inspect the image {tag}: {answer.reason}")
    return answer.output.strip().replace("<no value>", "")


def build(context: Path, tag: str, label: str, value: str) -> None:
    """Build the Dockerfile of `context`, offline, and label the image. Raises KindFailed.

    The legacy builder needs no plugin, but leaves each stage behind as an untagged image. The Dockerfile labels these,
    and they are removed.
    """
    arguments = ("build", "--network=none", "--force-rm", f"--label={label}={value}", f"--tag={tag}", context)
    docker(*arguments, what=f"building the image {tag}")
    docker("image", "prune", "--force", f"--filter=label={STAGE}", what="removing the untagged images of the build")


def save(tag: str, archive: Path) -> None:
    """Write an image to a tar compressed by zstd. Raises KindFailed."""
    _pipe(["docker", "save", tag], ["zstd", "-q", "-T0", "-3", "-f", "-o", str(archive)], f"saving the image {tag}")


def load(archive: Path) -> None:
    """Load an image that `save` wrote. It keeps its tag. Raises KindFailed."""
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

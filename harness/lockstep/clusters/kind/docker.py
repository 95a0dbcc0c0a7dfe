"""The few uses of Docker, through its command line. DOCKER_HOST and `docker context` apply."""

from __future__ import annotations

import os
from pathlib import Path

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.commands import attempt, need, run

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

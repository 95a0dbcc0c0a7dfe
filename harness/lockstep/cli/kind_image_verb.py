"""`lockstep kind-image`: build a node image for kind from package registries alone."""

from __future__ import annotations

import click


@click.command("kind-image", short_help="Build a node image for kind.")
@click.option("--kubernetes", metavar="VERSION", help="The release of Kubernetes.  [default: the newest known]")
@click.option("--tag", metavar="NAME", help="The name of the image.  [default: lockstep/node:vVERSION]")
def command(kubernetes: str | None, tag: str | None) -> None:
    """Build a node image for kind, from Debian packages and Go modules alone: no image registry is asked.

    Also builds kind and kubectl. The first time takes about ten minutes; all parts are kept in the cache. Needs Docker,
    Go 1.26, mmdebstrap and zstd.
    """
    from lockstep.cli.screen import Screen
    from lockstep.clusters.kind.image.build import kind_image
    from lockstep.clusters.kind.image.versions import KUBERNETES

    screen = Screen()
    made = kind_image(kubernetes or KUBERNETES[0], tag or "", screen.note)
    screen.line(f"{made.tag} {made.how}")
    screen.line(f"kind     {made.kind}")
    screen.line(f"kubectl  {made.kubectl}")

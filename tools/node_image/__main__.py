"""`python -m tools.node_image`: build a node image for kind from package registries alone."""

from __future__ import annotations

import click

from lockstep.clusters.kind import KindFailed
from lockstep.implementations.upstream.errors import BuildFailed
from tools.node_image.build import kind_image
from tools.node_image.versions import KUBERNETES


class _Refused(click.ClickException):
    """What is missing, in one line; the exit code is that of a wrong command, as `lockstep` has it."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        """Print the line on standard error."""
        click.echo(f"tools.node_image: {' '.join(self.message.split())}", err=True)


@click.command("python -m tools.node_image")
@click.option("--kubernetes", metavar="VERSION", help=f"The release of Kubernetes.  [default: {KUBERNETES[0]}]")
@click.option("--tag", metavar="NAME", help="The name of the image.  [default: lockstep/node:vVERSION]")
def main(kubernetes: str | None, tag: str | None) -> None:
    """Build a node image for kind, from Debian packages and Go modules alone: no image registry is asked.

    Also builds kind and kubectl. The first time takes about ten minutes; all parts are kept in the cache. Needs Docker,
    Go 1.26, mmdebstrap and zstd.
    """
    try:
        made = kind_image(kubernetes or KUBERNETES[0], tag or "", lambda line: click.echo(line, err=True))
    except (KindFailed, BuildFailed) as error:
        raise _Refused(str(error)) from error
    click.echo(f"{made.tag} {made.how}\nkind     {made.kind}\nkubectl  {made.kubectl}")


if __name__ == "__main__":
    main()

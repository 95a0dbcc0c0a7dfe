"""Options about the kind cluster that a run acts on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lockstep.cli.options import all_of

if TYPE_CHECKING:
    from lockstep.environments.options import KindOptions

_PROGRAM = click.Path(dir_okay=False, path_type=Path)
_NAMES = {
    "kind_cluster_name": "name",
    "kind_image": "image",
    "kind_bin": "kind_bin",
    "kind_kubectl_bin": "kubectl_bin",
    "kind_keep": "keep",
}

kind_options = all_of(
    click.option(
        "--kind-image",
        metavar="IMAGE",
        help="kind: the image of the nodes.  [default: lockstep/node if Docker has it, else kind's own]",
    ),
    click.option("--kind-bin", metavar="FILE", type=_PROGRAM, help="kind: the program.  [default: the one on PATH]"),
    click.option("--kind-kubectl-bin", metavar="FILE", type=_PROGRAM, help="kind: kubectl.  [default: that on PATH]"),
    click.option("--kind-cluster-name", metavar="NAME", help="kind: the name of the cluster.  [default: lockstep]"),
    click.option("--kind-keep", is_flag=True, help="kind: leave the cluster behind, for the next run."),
)


def kind_choice(values: dict[str, Any]) -> KindOptions:
    """What these option values choose; what was not given keeps its default."""
    from lockstep.environments.options import KindOptions

    return KindOptions(**{name: values[option] for option, name in _NAMES.items() if values.get(option)})

"""What a user says about the cluster on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from lockstep.cli.options import cluster_options, real_cluster_options
from lockstep.environments.options import KindOptions


@click.command()
@real_cluster_options
def _command(**chosen: Any) -> KindOptions | None:
    return cluster_options(chosen).kind


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", KindOptions()),
        ("--kind-image kindest/node:v1.35.0 --kind-keep", KindOptions(image="kindest/node:v1.35.0", keep=True)),
        ("--kind-cluster-name other --kind-bin bin/kind", KindOptions(name="other", kind_bin=Path("bin/kind"))),
        ("--kind-kubectl-bin bin/kubectl", KindOptions(kubectl_bin=Path("bin/kubectl"))),
    ],
)
def test_options(words: str, expected: KindOptions) -> None:
    assert _command.main(words.split(), standalone_mode=False) == expected

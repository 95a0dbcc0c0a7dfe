"""`lockstep control-plane`: find and build the programs of a real control plane."""

from __future__ import annotations

import click

from lockstep.runs.config import RunConfig


@click.group("control-plane", short_help="Find and build the programs of a control plane.")
def command() -> None:
    """Build and inspect etcd, kube-apiserver and kube-controller-manager. A run builds missing programs by itself."""


_release = click.argument("release", default=RunConfig().release)


@command.command("build")
@_release
@click.option("--vpa", is_flag=True, help="The programs of the Vertical Pod Autoscaler too.")
def build_programs(release: str, vpa: bool) -> None:
    """Build the programs of a Kubernetes RELEASE (default: the primary one) unless they are found."""
    from lockstep.cli.screen import Screen
    from lockstep.clusters.control_plane.binaries import provide
    from lockstep.clusters.control_plane.programs import AUTOSCALERS, CORE

    screen = Screen()
    found = provide((*CORE, *(AUTOSCALERS if vpa else ())), release, screen.note)
    for name, one in found.items():
        screen.line(f"{name} is ready: {one.path}")


@command.command("info")
@_release
def show_info(release: str) -> None:
    """Show which programs a run with this RELEASE would use, and which of them it would have to build."""
    from lockstep.cli.screen import Screen
    from lockstep.clusters.control_plane.binaries import find
    from lockstep.clusters.control_plane.programs import PROGRAMS

    found = {name: find(program, release) for name, program in PROGRAMS.items()}
    facts = [(name, f"{one.path} ({one.origin})" if one else "not found; will be built") for name, one in found.items()]
    Screen().header(facts)

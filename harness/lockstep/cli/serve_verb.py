"""`lockstep serve`: the simulated cluster over HTTP, for kubectl and any other client."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lockstep.serving.service import Listen, Service
    from lockstep.serving.simulation import Setup

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("serve", short_help="Serve the simulated cluster over HTTP.")
@click.option("--host", metavar="HOST", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", metavar="N", type=click.IntRange(0, 65535), default=0, help="The port.  [default: a free one]")
@click.option("--public", is_flag=True, help="Allow a HOST that others can reach.")
@click.option("--kubeconfig", metavar="FILE", type=click.Path(path_type=Path), help="Write a kubeconfig to FILE.")
@click.option(
    "--snapshot", metavar="FILE", type=_FILE, help="Objects to begin with: manifests, or kubectl get -o json."
)
@click.option(
    "--clock",
    type=click.Choice(["real", "virtual", "manual"]),
    default="real",
    show_default=True,
    help="Time passes as it does; jumps to what is due next; or is moved by hand.",
)
@click.option("--kubelet/--no-kubelet", default=True, show_default=True, help="Nodes, kubelets, scheduler, collector.")
@click.option("--controllers", metavar="NAME,...", default="", help="Controllers of the reference: replicaset, hpa ...")
@click.option("--owners", metavar="NAME,...", default="", help="Resources of simulated owners: deployments, jobs ...")
@click.option("--pods", metavar="FILE", type=_FILE, help="What pods use and how they run, as YAML or JSON.")
@click.option("--without", metavar="NAME,...", default="", help="Leave out: garbage-collector, namespaces, disruption.")
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Seed of names and orders.")
@click.option("--certificate", metavar="FILE", type=_FILE, help="TLS: the certificate, which clients must trust.")
@click.option("--key", metavar="FILE", type=_FILE, help="TLS: its private key.")
@click.option("--token-file", metavar="FILE", type=_FILE, help="Ask clients for the bearer token in FILE.")
@click.pass_context
def command(ctx: click.Context, /, **values: object) -> None:
    """Serve the simulated cluster over HTTP, until interrupted.

    Clients need the kubeconfig that is printed, or written to a file. All objects are lost when the server ends.
    """
    setup, listen = _setup(ctx), _listen(ctx)
    with asyncio.Runner() as runner:
        ctx.exit(runner.run(_serve(setup, listen, ctx.params["kubeconfig"])))


def _setup(ctx: click.Context) -> Setup:
    from lockstep.controllers.names import ACTORS, GROUPS
    from lockstep.serving.pods import read_document
    from lockstep.serving.simulation import Setup
    from lockstep.serving.snapshot import read_snapshot

    given = ctx.params
    names: list[str] = []
    for name in _listed(given["controllers"]):
        if name not in ACTORS and name not in GROUPS:
            known = ", ".join((*ACTORS, *GROUPS))
            raise click.UsageError(f"there is no controller {name!r}; the controllers are {known}", ctx)
        names += GROUPS.get(name, (name,))
    owners = _listed(given["owners"])
    if given["without"] and not given["kubelet"]:
        raise click.UsageError("--without leaves out parts of the simulated world; there are none without kubelet", ctx)
    if owners and not given["kubelet"]:
        raise click.UsageError("--owners needs the kubelet: simulated owners are part of the simulated world", ctx)
    snapshot = read_snapshot(given["snapshot"]) if given["snapshot"] else []
    return Setup(
        given["clock"],
        given["kubelet"],
        tuple(dict.fromkeys(names)),
        owners,
        snapshot,
        given["seed"],
        read_document(given["pods"]) if given["pods"] else None,
        _listed(given["without"]),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _listen(ctx: click.Context) -> Listen:
    from lockstep.serving.service import Listen, is_loopback

    given = ctx.params
    if not is_loopback(given["host"]) and not given["public"]:
        raise click.UsageError(f"--host {given['host']} can be reached by others; say --public if that is meant", ctx)
    if (given["certificate"] is None) != (given["key"] is None):
        raise click.UsageError("--certificate and --key go together", ctx)
    token = given["token_file"].read_text(encoding="utf-8").strip() if given["token_file"] else ""
    if given["token_file"] and not token:
        raise click.UsageError(f"--token-file {given['token_file']} is empty", ctx)
    if token and given["certificate"] is None:
        raise click.UsageError("--token-file needs --certificate and --key: kubectl sends no token over HTTP", ctx)
    return Listen(given["host"], given["port"], given["certificate"], given["key"], token)


async def _serve(setup: Setup, listen: Listen, file: Path | None) -> int:
    """Serve until a signal comes, or the simulation fails; returns the exit code."""
    from lockstep.serving.service import serve

    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def end(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 0)):  # a server that gets SIGTERM has done its work
        asyncio.get_running_loop().add_signal_handler(number, end, code)
    service = await serve(setup, listen)
    try:
        _tell(service, file)
        await asyncio.wait((ended, service.failed), return_when=asyncio.FIRST_COMPLETED)
    finally:
        await service.stop()
    if service.failed.done():
        click.echo(f"lockstep serve: the simulation ended: {service.failed.result()}", err=True)
        return 3
    return ended.result()


def _tell(service: Service, file: Path | None) -> None:
    from lockstep.files import write_whole

    if file is None:
        click.echo(service.kubeconfig, nl=False)
        click.echo(f"serving at {service.url}; save the above as a kubeconfig, or use --kubeconfig FILE", err=True)
        return
    write_whole(file, service.kubeconfig)
    click.echo(f"serving at {service.url}; use it with: kubectl --kubeconfig {file}", err=True)

"""How to reach a control plane: a kubeconfig for others, and a client of our own."""

from __future__ import annotations

from pathlib import Path

import yaml

from lockstep.clusters.control_plane.certificates import Pair
from lockstep.http import Client, Server, connect

_NAME = "lockstep"


def kubeconfig(url: str, authority: Path | None, user: Pair | None) -> str:
    """The content of a kubeconfig, with absolute paths of its files; without certificates, for plain HTTP."""
    cluster = {"server": url} | ({"certificate-authority": str(authority)} if authority else {})
    credentials = {"client-certificate": str(user.certificate), "client-key": str(user.key)} if user else {}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _NAME, "cluster": cluster}],
        "users": [{"name": _NAME, "user": credentials}],
        "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME, "namespace": "default"}}],
        "current-context": _NAME,
    }
    return yaml.safe_dump(content, sort_keys=False)


def client_of(url: str, authority: Path, user: Pair) -> Client:
    """A client of a server of the control plane."""
    return connect(Server(url, str(authority), str(user.certificate), str(user.key)))

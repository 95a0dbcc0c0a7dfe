"""A kubeconfig that leads to the served cluster. The user's own kubeconfig is never read or written."""

from __future__ import annotations

import base64
from typing import Any

import yaml

_NAME = "lockstep"


def kubeconfig(url: str, token: str = "", authority: bytes = b"") -> str:
    """The file's content. `authority`: the certificate, in PEM, that clients must trust."""
    cluster: dict[str, Any] = {"server": url}
    if authority:
        cluster["certificate-authority-data"] = base64.b64encode(authority).decode()
    user: dict[str, Any] = {"token": token} if token else {}
    context = {"cluster": _NAME, "user": _NAME, "namespace": "default"}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _NAME, "cluster": cluster}],
        "users": [{"name": _NAME, "user": user}],
        "contexts": [{"name": _NAME, "context": context}],
        "current-context": _NAME,
    }
    return yaml.safe_dump(content, sort_keys=False)

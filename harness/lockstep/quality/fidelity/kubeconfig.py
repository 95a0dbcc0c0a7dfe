"""The server of a kubeconfig's current context. It supports client certificates and tokens, but no login programs."""

from __future__ import annotations

import base64
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import yaml

from lockstep.quality.fidelity.http import Server
from lockstep.quality.fidelity.wire import FidelityError


def server_of(path: Path, stack: ExitStack) -> Server:
    """The server's URL and our credentials. Inline certificates are in files until `stack` ends.

    Raises FidelityError for a file that cannot be read or used.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        context = _named(data, "contexts", data["current-context"])["context"]
        cluster = _named(data, "clusters", context["cluster"])["cluster"]
        user = _named(data, "users", context["user"])["user"]
        url = str(cluster["server"])
    except (OSError, yaml.YAMLError, KeyError, TypeError, StopIteration) as error:
        raise FidelityError(f"cannot use the kubeconfig {path}: {type(error).__name__}: {error}") from None
    if "exec" in user or "auth-provider" in user:
        raise FidelityError(f"the kubeconfig {path} uses a login program; name one with a certificate or a token")
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lockstep-fidelity-")))

    def pem(section: dict[str, Any], key: str) -> str:
        inline = section.get(f"{key}-data")
        if inline is None:
            return str(path.parent / section[key]) if key in section else ""
        held = folder / key
        held.touch(mode=0o600)
        held.write_bytes(base64.b64decode(inline))
        return str(held)

    return Server(
        url,
        pem(cluster, "certificate-authority"),
        pem(user, "client-certificate"),
        pem(user, "client-key"),
        str(user.get("token", "")),
    )


def _named(data: dict[str, Any], section: str, name: str) -> dict[str, Any]:
    return next(dict(one) for one in data[section] if one["name"] == name)

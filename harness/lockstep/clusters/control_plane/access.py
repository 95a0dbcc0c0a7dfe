"""Access to a control plane: a kubeconfig for other programs, and plain requests of our own."""

from __future__ import annotations

import http.client
import json
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from lockstep.clusters.control_plane.certificates import Pair

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


class Access:
    """Requests to a server, one connection each. Raises OSError if it does not answer."""

    def __init__(self, url: str, authority: Path, user: Pair) -> None:
        self._address = urlsplit(url).netloc
        self._context = ssl.create_default_context(cafile=str(authority))
        self._context.load_cert_chain(user.certificate, user.key)

    def request(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json", seconds: float = 30.0
    ) -> tuple[int, str]:
        """The status and the text of the answer; `body` is sent as JSON."""
        connection = http.client.HTTPSConnection(self._address, timeout=seconds, context=self._context)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, {"Content-Type": content_type, "Accept": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        except http.client.HTTPException as error:
            raise OSError(f"no HTTP answer: {error!r}") from error
        finally:
            connection.close()

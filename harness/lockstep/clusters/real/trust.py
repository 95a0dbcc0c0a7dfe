"""Certificates for servers of ours that the API server of a real cluster calls."""

from __future__ import annotations

import base64
import ssl
import tempfile
from pathlib import Path

from lockstep.errors import extra


class Trust:
    """A certificate authority, and the certificate of a server that the cluster calls by one of `names`.

    Raises LockstepError where the library for it is not installed.
    """

    def __init__(self, *names: str) -> None:
        with extra("cluster", "servers that a cluster calls"):
            import trustme
        authority = trustme.CA()
        #: What the cluster has to trust: the `caBundle` of objects that refer to the server.
        self.bundle = base64.b64encode(authority.cert_pem.bytes()).decode()
        self.server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        issued = authority.issue_cert(*names)
        with tempfile.TemporaryDirectory() as folder:
            pair = Path(folder) / "pair.pem"
            issued.private_key_and_cert_chain_pem.write_to_path(pair)
            self.server.load_cert_chain(pair)

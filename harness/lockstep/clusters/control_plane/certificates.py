"""A certificate authority for one run, and the certificates that it signs.

One authority signs all certificates: for servers, clients, etcd and the proxy that aggregated APIs see. It lasts as
long as the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import extra

if TYPE_CHECKING:
    import trustme

#: The name in the client certificate that kube-apiserver shows to the servers of aggregated APIs.
FRONT_PROXY = "front-proxy-client"
#: Members of this group may do everything.
MASTERS = "system:masters"
_SERVER_NAMES = (
    "127.0.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its private key, PEM files that only we can read."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates, and writes them to `folder`. `certificate`: its own, which clients need to trust it.

    Raises LockstepError where the library for it is not installed.
    """

    def __init__(self, folder: Path) -> None:
        with extra("cluster", "certificates of a control plane"):
            import trustme
        self._folder = folder
        self._authority = trustme.CA(organization_name="Lockstep")
        self.certificate = folder / "ca.crt"
        self._authority.cert_pem.write_to_path(self.certificate)

    def server(self, file: str, *names: str) -> Pair:
        """A pair for a server at these names and addresses; without names, for kube-apiserver on this machine."""
        return self._write(file, self._authority.issue_cert(*(names or _SERVER_NAMES), common_name=file))

    def client(self, file: str, user: str, group: str | None = None) -> Pair:
        """A pair for a client; to Kubernetes it is this user, a member of this group."""
        # Without a host name, the certificate would have a critical but empty extension, which Go refuses.
        return self._write(file, self._authority.issue_cert(user, common_name=user, organization_name=group))

    def _write(self, file: str, issued: trustme.LeafCert) -> Pair:
        pair = Pair(self._folder / f"{file}.crt", self._folder / f"{file}.key")
        issued.cert_chain_pems[0].write_to_path(pair.certificate)
        pair.key.touch(0o600)
        issued.private_key_pem.write_to_path(pair.key)
        return pair

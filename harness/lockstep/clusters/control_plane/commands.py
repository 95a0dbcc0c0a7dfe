"""The command lines of the programs: each program's defaults, except for what a test needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.clusters.control_plane.certificates import FRONT_PROXY, MASTERS, Authority, Pair


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen about a control plane.

    `feature_gates` of kube-apiserver and of every kube-controller-manager; `server_flags` are added to kube-apiserver's
    and take precedence; `patience`: real seconds until it must be ready.
    """

    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    server_flags: Sequence[str] = ()
    patience: float = 90.0


@dataclass(frozen=True, slots=True)
class Keys:
    """All certificates of a control plane."""

    authority: Authority
    server: Pair
    admin: Pair
    proxy: Pair
    store: Pair
    accounts: Pair

    @classmethod
    def made_in(cls, folder: Path) -> Keys:
        """New ones, written to `folder`."""
        authority = Authority(folder)
        return cls(
            authority,
            server=authority.server("apiserver"),
            admin=authority.client("admin", "lockstep-admin", MASTERS),
            proxy=authority.client("front-proxy", FRONT_PROXY),
            store=authority.server("etcd", "127.0.0.1"),
            accounts=authority.client("service-accounts", "service-accounts"),
        )


def etcd(program: Path, data: Path, keys: Keys, port: int, peer_port: int) -> list[str]:
    """A single member that does not sync to disk, since its data is thrown away."""
    client, peer = f"https://127.0.0.1:{port}", f"http://127.0.0.1:{peer_port}"
    return [
        str(program),
        f"--data-dir={data}",
        "--name=lockstep",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=lockstep={peer}",
        "--unsafe-no-fsync",
        "--logger=zap",
        "--log-level=warn",
        "--client-cert-auth",
        f"--trusted-ca-file={keys.authority.certificate}",
        f"--cert-file={keys.store.certificate}",
        f"--key-file={keys.store.key}",
    ]


def kube_apiserver(program: Path, keys: Keys, port: int, store_port: int, options: Options) -> list[str]:
    """A server that only this machine can reach.

    Pods can be created in a namespace as soon as it exists (without waiting for a service account), and APIService
    objects can refer to servers of ours.
    """
    authority = keys.authority.certificate
    return [
        str(program),
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        "--endpoint-reconciler-type=none",
        f"--etcd-servers=https://127.0.0.1:{store_port}",
        f"--etcd-cafile={authority}",
        f"--etcd-certfile={keys.store.certificate}",
        f"--etcd-keyfile={keys.store.key}",
        f"--tls-cert-file={keys.server.certificate}",
        f"--tls-private-key-file={keys.server.key}",
        f"--client-ca-file={authority}",
        f"--requestheader-client-ca-file={authority}",
        f"--requestheader-allowed-names={FRONT_PROXY}",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-username-headers=X-Remote-User",
        f"--proxy-client-cert-file={keys.proxy.certificate}",
        f"--proxy-client-key-file={keys.proxy.key}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={keys.accounts.key}",
        f"--service-account-signing-key-file={keys.accounts.key}",
        "--service-cluster-ip-range=10.0.0.0/16",
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
        "--allow-privileged=true",
        "--max-requests-inflight=3000",
        "--max-mutating-requests-inflight=1000",
        *gate_flags(options.feature_gates),
        *options.server_flags,
    ]


def kube_controller_manager(
    program: Path, kubeconfig: Path, controllers: Sequence[str], options: Options, flags: Sequence[str]
) -> list[str]:
    """A manager of these controllers only. It sends objects as JSON, which a proxy can read."""
    return [
        str(program),
        f"--kubeconfig={kubeconfig}",
        f"--controllers={','.join(controllers)}",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-content-type=application/json",
        *gate_flags(options.feature_gates),
        *flags,
    ]


def gate_flags(gates: Mapping[str, bool]) -> list[str]:
    """The flag that sets these feature gates; none for an empty mapping."""
    chosen = ",".join(f"{name}={str(on).lower()}" for name, on in gates.items())
    return [f"--feature-gates={chosen}"] if chosen else []

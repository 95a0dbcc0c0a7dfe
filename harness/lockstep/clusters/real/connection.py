"""HTTP to a real API server, through the official client's configuration, credentials and connection pool."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError, extra
from lockstep.http import CONNECTIONS, Answer, Client, NoAnswer, Stream, target


class ClusterError(LockstepError):
    """The real cluster cannot be used as asked; the message is one line that says why, and what to do."""


def client_of(kubeconfig: Path, context: str = "") -> Client:
    """A client of the cluster that a kubeconfig names. `context`: the one to use, "" for the current one.

    Raises ClusterError for a file that cannot be used, and LockstepError where the official client is not installed.
    """
    with extra("cluster", "real clusters"):
        from kubernetes import client, config
    settings = client.Configuration()
    load: Any = config.load_kube_config  # it ships no types
    try:
        load(str(kubeconfig), context or None, settings)
    except (config.ConfigException, OSError) as problem:
        raise ClusterError(f"{kubeconfig} cannot be used: {' '.join(str(problem).split())}") from None
    settings.connection_pool_maxsize = CONNECTIONS
    official: Any = client.ApiClient(settings)

    def credentials() -> dict[str, str]:
        headers: dict[str, str] = {}
        official.update_params_for_auth(headers, [], ["BearerToken"], "", "", None)
        return headers

    return Client(str(settings.host), official.rest_client.pool_manager, credentials)


class Connection:
    """A cluster, as a kubeconfig names it. Paths and queries are given in plain text."""

    def __init__(self, kubeconfig: Path, context: str = "") -> None:
        self._client = client_of(kubeconfig, context)
        self.host = self._client.url

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Answer:
        """Send one request and wait for the answer, whatever its status. Raises NoAnswer."""
        headers = {"Accept": accept} if accept else {}
        return self._client.request(method, target(path, query), body, content_type, headers=headers)

    def ask(self, method: str, path: str, query: Mapping[str, str] = {}, body: object = None) -> Answer:
        """`request` with a body as data, where nothing goes on without an answer. Raises ClusterError without one."""
        try:
            return self._client.request(method, target(path, query), body)
        except NoAnswer as broken:
            raise ClusterError(str(broken)) from None

    def watch(self, path: str, query: Mapping[str, str]) -> Stream | Answer:
        """An open stream, or the answer that refused it. Raises NoAnswer."""
        return self._client.watch(target(path, query))

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

"""HTTP to a real API server, through the official client's configuration, credentials and connection pool.

Requests and answers are bytes, so that they stay exactly what the controller and the server sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import orjson

#: Seconds to connect, and seconds to wait for an answer: longer than a server may delay one.
_CONNECT, _ANSWER = 5.0, 70.0
#: Connections that may be open at a time: every watch holds one.
_CONNECTIONS = 512
#: Characters that need no escape in a path.
_PATH_SAFE = "/:@-._~!$&'()*+,;="


class ClusterError(RuntimeError):
    """The real cluster cannot be used as asked; the message is one line that says why, and what to do."""


class Answer(NamedTuple):
    """One reply: HTTP status, media type, and the body as sent."""

    status: int
    media: str
    body: bytes
    headers: Mapping[str, str] = {}

    @property
    def words(self) -> str:
        """The status and the server's message."""
        message = orjson.loads(self.body).get("message", "") if "json" in self.media else self.body.decode()
        return f"{self.status} {message}"


class Stream:
    """The lines of an open watch. Iterate in a thread of its own; `close` from any other."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        """The lines as they arrive, until either side ends the stream."""
        rest = b""
        try:
            for chunk in self._response.stream(65536, decode_content=True):
                if self._closed:
                    return  # data after a shutdown is no longer decrypted
                *lines, rest = (rest + chunk).split(b"\n")
                yield from filter(None, lines)
        except Exception:  # noqa: S110 - the connection broke: for a watch that is an end like any other
            pass
        finally:
            self._response.close()

    def close(self) -> None:
        """End the stream. A waiting reader sees its end at once."""
        if not self._closed:
            self._closed = True
            with suppress(RuntimeError, ValueError, OSError):  # the stream has ended meanwhile
                self._response.shutdown()


class Connection:
    """A cluster, as a kubeconfig names it. `context`: the one to use, "" for the current one."""

    def __init__(self, kubeconfig: Path, context: str = "") -> None:
        try:
            from kubernetes import client, config
        except ImportError:
            raise ClusterError("real clusters need the official client: pip install 'kube-lockstep[cluster]'") from None
        settings = client.Configuration()
        load: Any = config.load_kube_config  # it ships no types
        try:
            load(str(kubeconfig), context or None, settings)
        except (config.ConfigException, OSError) as problem:
            raise ClusterError(f"{kubeconfig} cannot be used: {' '.join(str(problem).split())}") from None
        settings.connection_pool_maxsize = _CONNECTIONS
        settings.retries = False
        self._client: Any = client.ApiClient(settings)
        self._pool = self._client.rest_client.pool_manager
        self.host = str(settings.host).rstrip("/")

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Answer:
        """Send one request and wait for the answer, whatever its status. Raises ConnectionError if there is none."""
        response = self._send(method, path, query, body, content_type, accept, _ANSWER)
        try:
            data = response.data
        except Exception as broken:
            raise ConnectionResetError(_plain(broken)) from None
        return Answer(response.status, response.headers.get("Content-Type", ""), data, response.headers)

    def ask(self, method: str, path: str, query: Mapping[str, str] = {}, body: object = None) -> Answer:
        """`request` with the body as data. Raises ClusterError if there is no answer."""
        try:
            return self.request(method, path, query, None if body is None else orjson.dumps(body))
        except ConnectionError as broken:
            raise ClusterError(f"the API server at {self.host} does not answer: {broken}") from None

    def watch(self, path: str, query: Mapping[str, str]) -> Stream | Answer:
        """An open stream, or the answer that refused it. Raises ConnectionError if there is none."""
        response = self._send("GET", path, query, None, "", "", None)
        if response.status == 200:
            return Stream(response)
        return Answer(response.status, response.headers.get("Content-Type", ""), response.data, response.headers)

    def close(self) -> None:
        """Close all connections."""
        self._pool.clear()
        self._client.close()

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None,
        content_type: str,
        accept: str,
        patience: float | None,
    ) -> Any:
        import urllib3

        headers = {"Accept": accept or "application/json", "User-Agent": "lockstep"}
        if body is not None:
            headers["Content-Type"] = content_type
        self._client.update_params_for_auth(headers, [], ["BearerToken"], path, method, body)
        url = f"{self.host}{quote(path, safe=_PATH_SAFE)}"
        if query:
            url += "?" + urlencode(query)
        timeout = urllib3.Timeout(connect=_CONNECT, read=patience)
        try:
            return self._pool.request(
                method, url, body=body, headers=headers, timeout=timeout, preload_content=False, redirect=False
            )
        except urllib3.exceptions.HTTPError as broken:
            raise ConnectionResetError(_plain(broken)) from None


def _plain(problem: Exception) -> str:
    """A library's message about a broken connection, without the objects in it."""
    reason = getattr(problem, "reason", None) or problem
    return str(reason).rpartition(": ")[2] or type(problem).__name__

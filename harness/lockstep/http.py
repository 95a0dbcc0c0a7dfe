"""The HTTP client: requests to an API server, and watches of it, as bytes.

Bodies are passed on unchanged; the caller parses the JSON. Threads may share a client. For users' clusters, which may
need login programs, `clusters.real.connection` makes the client.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import orjson
import urllib3

from lockstep.errors import LockstepError

#: The most connections that may be open at a time: every watch holds one.
CONNECTIONS = 512
#: Timeouts in seconds: to connect, and for an answer, longer than a server delays any request.
_CONNECT, _ANSWER = 5.0, 70.0
_CHUNK = 65536
#: Characters that a path may contain without quoting.
_PATH_SAFE = "/:@-._~!$&'()*+,;="


class NoAnswer(LockstepError, ConnectionError):
    """A request got no answer, or lost its connection before the end of it; the message says why."""


class Answer(NamedTuple):
    """One reply: HTTP status, the body as sent, and headers, whose names are case-insensitive."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}

    @property
    def media(self) -> str:
        """The media type, with its parameters; "" if the server does not say."""
        return self.headers.get("Content-Type", "")

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    @property
    def data(self) -> Any:
        """The body as JSON value, or as text if it is not JSON."""
        try:
            return orjson.loads(self.body)
        except ValueError:
            return self.text

    @property
    def words(self) -> str:
        """The status, and the server's message about it."""
        data = self.data
        return f"{self.status} {data.get('message', '') if isinstance(data, dict) else self.text}"


class Stream:
    """The lines of an open watch. Iterate in one thread; any other may `close` it, even while the reader waits."""

    def __init__(self, response: urllib3.BaseHTTPResponse) -> None:
        self._response = response
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        """Lines as they arrive, until either side ends the stream."""
        rest = b""
        try:
            for chunk in self._response.stream(_CHUNK, decode_content=True):
                if self._closed:
                    return  # data after a shutdown is no longer decrypted
                *lines, rest = (rest + chunk).split(b"\n")
                yield from filter(None, lines)
        except (urllib3.exceptions.HTTPError, OSError, ValueError, AttributeError):
            pass  # the connection broke, or was closed under the reader: for a watch an ordinary end
        finally:
            self._response.close()

    def close(self) -> None:
        """End the stream; a waiting reader sees the end at once."""
        if not self._closed:
            self._closed = True
            with contextlib.suppress(RuntimeError, ValueError, OSError):  # it has ended in the meantime
                self._response.shutdown()


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a server, and our credentials.

    `authority`: PEM file of the certificates to trust, "" for the system's; `certificate` and `key`: PEM files of ours,
    "" for none; `token`: a bearer token, "" for none.
    """

    url: str
    authority: str = ""
    certificate: str = ""
    key: str = ""
    token: str = ""


def connect(server: Server) -> Client:
    """A client of a server. Connects on its first request."""
    pool = urllib3.PoolManager(
        maxsize=CONNECTIONS,
        retries=False,
        ca_certs=server.authority or None,
        cert_file=server.certificate or None,
        key_file=server.key or None,
    )
    credentials = {"Authorization": f"Bearer {server.token}"} if server.token else {}
    return Client(server.url, pool, lambda: credentials)


def target(path: str, query: Mapping[str, str]) -> str:
    """A path and a query, quoted as in the request line; both are given unquoted."""
    return quote(path, safe=_PATH_SAFE) + (f"?{urlencode(query)}" if query else "")


class Client:
    """Sends requests to `url` through `pool`. `credentials`: headers that identify the client, new for each call."""

    def __init__(
        self, url: str, pool: urllib3.PoolManager, credentials: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        self.url = url.rstrip("/")
        self._pool = pool
        self._credentials = credentials

    def request(
        self,
        method: str,
        target: str,
        body: Any = None,
        content_type: str = "application/json",
        *,
        headers: Mapping[str, str] = {},
        patience: float = _ANSWER,
    ) -> Answer:
        """Send one request and wait for the answer, whatever its status; at most `patience` seconds for each read.

        `target` is the path with the query, as it goes over the wire. A `body` of bytes is sent as it is, anything else
        as JSON. Redirects are not followed. Raises NoAnswer.
        """
        response = self._send(method, target, body, content_type, headers, patience)
        return self._read(response, f"{method} {target}")

    def watch(self, target: str, headers: Mapping[str, str] = {}) -> Stream | Answer:
        """An open stream, which may be silent for any time, or the answer that refused it. Raises NoAnswer."""
        response = self._send("GET", target, None, "", headers, None)
        return Stream(response) if response.status == 200 else self._read(response, f"GET {target}")

    def close(self) -> None:
        """Close connections that are not in use."""
        self._pool.clear()

    def _send(
        self,
        method: str,
        target: str,
        body: Any,
        content_type: str,
        headers: Mapping[str, str],
        patience: float | None,
    ) -> urllib3.BaseHTTPResponse:
        content = None if body is None else body if isinstance(body, bytes) else orjson.dumps(body)
        typed = {} if content is None else {"Content-Type": content_type}
        try:
            return self._pool.request(
                method,
                self.url + target,
                body=content,
                headers={
                    "Accept": "application/json",
                    "User-Agent": "lockstep",
                    **typed,
                    **headers,
                    **self._credentials(),
                },
                timeout=urllib3.Timeout(connect=_CONNECT, read=patience),
                preload_content=False,
                redirect=False,
                retries=False,
            )
        except (urllib3.exceptions.HTTPError, OSError) as broken:
            raise self._no_answer(f"{method} {target}", broken) from None

    def _read(self, response: urllib3.BaseHTTPResponse, asked: str) -> Answer:
        try:
            return Answer(response.status, response.data, response.headers)
        except (urllib3.exceptions.HTTPError, OSError) as broken:
            raise self._no_answer(asked, broken) from None
        finally:
            response.release_conn()

    def _no_answer(self, asked: str, broken: Exception) -> NoAnswer:
        return NoAnswer(f"{self.url} does not answer {asked}: {_plain(broken)}")


def _plain(problem: BaseException) -> str:
    """A library's message about a broken connection, without the objects that it names."""
    cause = next((one for one in reversed(problem.args) if isinstance(one, BaseException)), None)
    if cause is not None:
        return _plain(cause)
    return str(problem).rpartition(": ")[2] or type(problem).__name__

"""An API server behind HTTP as a target: ours, or a real kube-apiserver."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import urllib3

from lockstep.quality.fidelity.wire import Answer, Call, FidelityError, Stream

#: Seconds from a write until its event must arrive.
_PATIENCE = 5.0
#: Seconds until an answer must arrive.
_TIMEOUT = 30.0
_KEPT_HEADERS = ("content-type", "retry-after", "warning", "location", "allow")
_END = None


@dataclass(frozen=True, slots=True)
class Server:
    """A server's URL and our credentials. Paths of PEM files, "" for none; `token`: a bearer token, "" for none."""

    url: str
    authority: str = ""
    certificate: str = ""
    key: str = ""
    token: str = ""


class HttpStream:
    """The events of a watch, read by a thread of its own. `quiet`: seconds without an event after which the stream
    counts as ended.
    """

    def __init__(self, response: urllib3.BaseHTTPResponse, quiet: float) -> None:
        self._response = response
        self._quiet = quiet
        self._events: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="fidelity-watch", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        rest = b""
        try:
            for chunk in self._response.stream(decode_content=True):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._events.put(orjson.loads(line))
        except (urllib3.exceptions.HTTPError, OSError, ValueError):
            pass  # the stream was closed by us, or broke: missing events will show as a difference
        finally:
            self._events.put(_END)

    def _next(self, patience: float) -> dict[str, Any] | None:
        if self._ended:
            return None
        try:
            event = self._events.get(timeout=patience)
        except queue.Empty:
            return None
        self._ended = event is _END
        if event is not None and _is_plain_bookmark(event):
            return self._next(patience)
        return event

    def take(self, count: int) -> list[dict[str, Any]]:
        """The next `count` events; fewer, if they do not come in time or the watch ended."""
        found: list[dict[str, Any]] = []
        deadline = time.monotonic() + _PATIENCE
        while len(found) < count:
            event = self._next(max(0.0, deadline - time.monotonic()))
            if event is None:
                break
            found.append(event)
        return found

    def rest(self) -> list[dict[str, Any]]:
        """The events until it is quiet."""
        found: list[dict[str, Any]] = []
        while (event := self._next(self._quiet)) is not None:
            found.append(event)
        return found

    def ended(self) -> bool:
        """Whether the server has ended the watch, as far as it has been read."""
        return self._ended

    def close(self) -> None:
        """End the watch."""
        with contextlib.suppress(ValueError, OSError, RuntimeError):  # it is closed already
            self._response.shutdown()
        self._reader.join(_PATIENCE)
        self._response.close()


class HttpTransport:
    """Keeps connections to one server. Threads may share it."""

    def __init__(self, server: Server, compact: Callable[[], None] | None = None, *, quiet: float = 0.2) -> None:
        self._url = server.url.rstrip("/")
        self._compact = compact
        self._quiet = quiet
        self._headers = {"Authorization": f"Bearer {server.token}"} if server.token else {}
        self._pool = urllib3.PoolManager(
            maxsize=64,
            retries=False,
            timeout=urllib3.Timeout(_TIMEOUT),
            ca_certs=server.authority or None,
            cert_file=server.certificate or None,
            key_file=server.key or None,
        )

    def send(self, call: Call) -> Answer:
        """The answer to a request. Raises FidelityError if there is none."""
        response = self._open(call, stream=False)
        return Answer(response.status, _value(response.data), _kept(response.headers))

    def watch(self, call: Call) -> Stream | Answer:
        """A running watch, or the answer that refuses it. Raises FidelityError if there is neither."""
        response = self._open(call, stream=True)
        if response.status == 200:
            return HttpStream(response, self._quiet)
        return Answer(response.status, _value(response.read()), _kept(response.headers))

    def now(self) -> float:
        """The machine's clock, which the server shares."""
        return time.time()

    def compact(self) -> None:
        """Discard old versions. Raises FidelityError if the server cannot be made to."""
        if self._compact is None:
            raise FidelityError("this target cannot be made to discard old versions; use memory, http or control-plane")
        self._compact()

    def close(self) -> None:
        """Close the connections."""
        self._pool.clear()

    def _open(self, call: Call, *, stream: bool) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": "application/json", "User-Agent": "lockstep-fidelity", **call.headers, **self._headers}
        try:
            return self._pool.request(
                call.method,
                self._url + call.target,
                body=call.data,
                headers=headers,
                preload_content=not stream,
                redirect=False,
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise FidelityError(f"no answer to {call.method} {call.target} from {self._url}: {error}") from error


def _is_plain_bookmark(event: dict[str, Any]) -> bool:
    """A bookmark that only gives a version: servers send those at any time."""
    return event["type"] == "BOOKMARK" and not event["object"]["metadata"].get("annotations")


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: headers[name] for name in _KEPT_HEADERS if name in headers}


def _value(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")

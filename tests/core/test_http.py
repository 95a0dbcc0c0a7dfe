"""The HTTP client against a server of a few lines: who it is to the server, and how requests and watches end."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trustme

from lockstep.http import Answer, NoAnswer, Server, Stream, connect, target


class Handler(BaseHTTPRequestHandler):
    """Tells what it was asked; /watch sends one line and then says nothing; /cut breaks off."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = f"{self.command} {self.path} {self.headers.get('Authorization', '-')}".encode()
        if self.path.startswith("/watch"):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b'5\r\n{"a"\n\r\n')
            self.rfile.read(1)  # until the client hangs up
            self.close_connection = True
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"not all")
            self.close_connection = True
        else:
            self.send_response(404 if self.path == "/gone" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


class Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None: ...


@contextmanager
def served(context: ssl.SSLContext | None = None) -> Iterator[str]:
    server = Quiet(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"{'https' if context else 'http'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_bodies_of_bytes_go_as_they_are_and_others_as_json() -> None:
    with served() as url, closing(connect(Server(url))) as client:
        sent = client.request("POST", "/", b"a: 1", "application/yaml")
        assert (sent.status, sent.body, sent.media) == (201, b"a: 1", "application/yaml")
        assert client.request("POST", "/", {"a": 1}).data == {"a": 1}


def test_a_token_says_who_asks() -> None:
    with served() as url, closing(connect(Server(url, token="of-mine"))) as client:  # noqa: S106 - a made-up one
        assert client.request("GET", "/x").text == "GET /x Bearer of-mine"


def test_a_refusal_is_an_answer_also_to_a_watch() -> None:
    with served() as url, closing(connect(Server(url))) as client:
        assert client.request("GET", "/gone").words == "404 GET /gone -"
        refused = client.watch("/gone")
        assert isinstance(refused, Answer)
        assert refused.status == 404


def test_a_certificate_of_ours_is_shown_and_theirs_is_checked(tmp_path: Path) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    trusted, strange, ours = (tmp_path / name for name in ("trusted.pem", "strange.pem", "ours.pem"))
    authority.cert_pem.write_to_path(trusted)
    stranger.cert_pem.write_to_path(strange)
    authority.issue_cert("client@test.example").private_key_and_cert_chain_pem.write_to_path(ours)
    with served(context) as url:
        with closing(connect(Server(url, str(trusted), str(ours), str(ours)))) as client:
            assert client.request("GET", "/").status == 200
            watch = client.watch("/watch")
            assert isinstance(watch, Stream)
            assert next(iter(watch)) == b'{"a"'
            watch.close()
        with (
            closing(connect(Server(url, str(strange), str(ours), str(ours)))) as client,
            pytest.raises(NoAnswer, match="self-signed certificate"),
        ):
            client.request("GET", "/")
        with closing(connect(Server(url, str(trusted)))) as client, pytest.raises(NoAnswer):
            client.request("GET", "/")


def test_a_watch_that_waits_for_a_line_can_be_ended() -> None:
    with served() as url, closing(connect(Server(url))) as client:
        watch = client.watch("/watch")
        assert isinstance(watch, Stream)
        lines: list[bytes] = []
        first = threading.Event()

        def read() -> None:
            for line in watch:
                lines.append(line)
                first.set()

        reader = threading.Thread(target=read)
        reader.start()
        assert first.wait(10)
        watch.close()
        reader.join(10)
        assert not reader.is_alive()
        assert lines == [b'{"a"']


def test_no_answer_names_the_server_the_request_and_the_reason() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # nobody listens there
        url = f"http://127.0.0.1:{held.getsockname()[1]}"
        with closing(connect(Server(url))) as client, pytest.raises(NoAnswer) as none:
            client.request("GET", "/x?y=1")
    assert str(none.value) == f"{url} does not answer GET /x?y=1: [Errno 111] Connection refused"


def test_an_answer_that_breaks_off_is_none() -> None:
    with served() as url, closing(connect(Server(url))) as client, pytest.raises(NoAnswer, match="GET /cut"):
        client.request("GET", "/cut")


def test_plain_text_becomes_a_target() -> None:
    assert target("/a b/c?d", {"limit": "1", "e": "f g"}) == "/a%20b/c%3Fd?limit=1&e=f+g"
    assert target("/api/v1", {}) == "/api/v1"

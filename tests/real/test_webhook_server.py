"""The server that a real API server asks: which tenant it hands a question to, and what it makes of the answer."""

from __future__ import annotations

import http.client
import ssl
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest

from lockstep.apiserver.webhooks.reviews import Outcome
from lockstep.clusters.real.gateway import Gateways
from lockstep.clusters.real.tenant import Tenant, prefix_of
from lockstep.clusters.real.webhook_server import WebhookServer, keeps_apart
from lockstep.http import Answer

PREFIX = prefix_of(7)
CLIENT = {"service": {"namespace": "kube-system", "name": "hook", "port": 443}}


class Cluster:
    """Answers what it is asked with its version."""

    def __init__(self, minor: str) -> None:
        self._minor = minor

    def request(self, *_: object) -> Answer:
        return Answer(200, orjson.dumps({"major": "1", "minor": self._minor}))


class FakeTenant:
    """Answers every question with `outcome`."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.asked: list[tuple[bytes, Mapping[str, Any], int]] = []

    def consult(
        self, review: bytes, client: Mapping[str, Any], timeout: int, answer: Callable[[Outcome], None]
    ) -> None:
        self.asked.append((review, client, timeout))
        answer(self.outcome)


@pytest.fixture
def server() -> Iterator[WebhookServer]:
    gateways = Gateways()
    made = WebhookServer(gateways.loop, "127.0.0.1")
    made.start(Cluster("36"))  # type: ignore[arg-type]
    yield made
    made.stop()
    gateways.close()


def ask(server: WebhookServer, path: str) -> tuple[int, bytes]:
    assert server.door is not None
    context = ssl.create_default_context(cadata=b64decode(server.door.bundle).decode())
    connection = http.client.HTTPSConnection(urlsplit(server.door.root).netloc, timeout=10, context=context)
    try:
        connection.request("POST", path, b'{"request": {}}')
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def path_of(server: WebhookServer) -> str:
    configuration = {"kind": "MutatingWebhookConfiguration", "metadata": {}, "webhooks": [{"clientConfig": CLIENT}]}
    (webhook,) = Tenant(PREFIX, server.door).body(configuration)["webhooks"]
    return str(urlsplit(webhook["clientConfig"]["url"]).path)


def test_a_question_reaches_its_tenant_and_the_answer_comes_back(server: WebhookServer) -> None:
    tenant = FakeTenant(Outcome(200, b'{"response": {}}'))
    server.join(PREFIX, tenant)
    assert ask(server, f"{path_of(server)}?timeout=7s") == (200, b'{"response": {}}')
    assert tenant.asked == [(b'{"request": {}}', CLIENT, 7)]


def test_what_broke_on_the_way_breaks_for_the_api_server_too(server: WebhookServer) -> None:
    server.join(PREFIX, FakeTenant(Outcome(broken="EOF")))
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        ask(server, path_of(server))


def test_a_review_for_an_unknown_tenant_is_not_found(server: WebhookServer) -> None:
    server.join(PREFIX, FakeTenant(Outcome(200)))
    assert ask(server, "/nothing")[0] == 404
    server.leave(PREFIX)
    assert ask(server, path_of(server))[0] == 404


@pytest.mark.parametrize(("minor", "able"), [("29", False), ("30", True), ("36+", True), ("", False)])
def test_a_cluster_without_match_conditions_gets_no_webhooks(minor: str, able: bool) -> None:
    assert keeps_apart(Cluster(minor)) is able  # type: ignore[arg-type]

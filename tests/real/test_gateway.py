"""The gateway: what becomes of a program's request on its way to the tenant's network."""

from __future__ import annotations

import threading
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lockstep.apiserver import Reply, Request
from lockstep.clusters.real.gateway import Gateway, Gateways
from lockstep.serving.boxes import Inbox
from lockstep.serving.protobuf.decoding import MAGIC

PATIENCE = 10.0
PROTOBUF = "application/vnd.kubernetes.protobuf"


class FakeNetwork:
    """Answers everything, and keeps what was asked."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def submit(self, request: Request, answer: Callable[[Reply], None], _: Callable[[], bool]) -> None:
        self.requests.append(request)
        answer(Reply(201, {"kind": "Lease"}))


@pytest.fixture
def gateways() -> Iterator[Gateways]:
    opened = Gateways()
    yield opened
    opened.close()


def sent(gateways: Gateways, actor: str, body: bytes, **headers: str) -> Request:
    """What the network is asked if a program sends this."""
    inbox, network = Inbox(), FakeNetwork()
    gateway = Gateway(gateways.loop, inbox, network, actor)  # type: ignore[arg-type]
    path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
    asked = urllib.request.Request(gateway.start() + path, body, headers)  # noqa: S310 - our own server
    answers: list[Any] = []

    def ask() -> None:
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:  # noqa: S310 - our own server
            answers.append((answer.status, answer.read()))

    client = threading.Thread(target=ask)
    client.start()
    inbox.wait(PATIENCE)
    inbox.run()
    client.join()
    gateway.stop()
    assert answers == [(201, b'{"kind":"Lease"}')]
    return network.requests[0]


def message(*fields: tuple[int, bytes]) -> bytes:
    """A protobuf message of short fields."""
    return b"".join(bytes([number << 3 | 2, len(value)]) + value for number, value in fields)


def test_protobuf_becomes_json_and_json_is_what_is_asked_for(gateways: Gateways) -> None:
    head = message((1, b"coordination.k8s.io/v1"), (2, b"Lease"))
    lease = message((1, message((1, b"vpa-admission-controller"))), (2, message((1, b"here"))))
    body = MAGIC + message((1, head), (2, lease))
    accept = f"{PROTOBUF},application/json"
    request = sent(gateways, "vpa-admission", body, **{"Content-Type": PROTOBUF, "Accept": accept})
    assert request.body == {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "vpa-admission-controller"},
        "spec": {"holderIdentity": "here"},
    }
    assert (request.content_type, request.accept) == ("application/json", "application/json")


def test_a_program_of_one_controller_is_its_actor_and_others_say_who_asks(gateways: Gateways) -> None:
    headers = {"Content-Type": "application/json", "User-Agent": "kube-controller-manager/v1 (linux) k8s/1/hpa"}
    assert sent(gateways, "vpa-updater", b"{}", **headers).actor == "vpa-updater"
    assert sent(gateways, "", b"{}", **headers).actor == "hpa"

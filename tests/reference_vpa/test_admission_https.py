"""The admission controller over real sockets and TLS."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import trustme

from lockstep_reference.vpa.admission.https_server import serve_https, tls_context
from lockstep_reference.vpa.admission.server import AdmissionServer
from lockstep_reference.vpa.admission.vpa.handler import VpaHandler

GROUP = "autoscaling.k8s.io"


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def context(authority: trustme.CA, tmp_path: Path) -> ssl.SSLContext:
    issued = authority.issue_cert("localhost", "127.0.0.1")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(cert)
    issued.private_key_pem.write_to_path(key)
    return tls_context(cert, key)


def review(spec: dict[str, Any]) -> dict[str, Any]:
    request = {
        "uid": "u1",
        "kind": {"group": GROUP, "version": "v1", "kind": "VerticalPodAutoscaler"},
        "requestKind": {"group": GROUP, "version": "v1", "kind": "VerticalPodAutoscaler"},
        "resource": {"group": GROUP, "version": "v1", "resource": "verticalpodautoscalers"},
        "name": "web",
        "namespace": "default",
        "operation": "CREATE",
        "object": {"apiVersion": f"{GROUP}/v1", "kind": "VerticalPodAutoscaler", "spec": spec},
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def ask(authority: trustme.CA, context: ssl.SSLContext, server: AdmissionServer, *bodies: bytes) -> list[bytes]:
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)

    async def play() -> list[bytes]:
        async with serve_https(server.serve, context) as port, aiohttp.ClientSession() as session:
            answers = []
            for body in bodies:
                url, headers = f"https://localhost:{port}/?timeout=30s", {"Content-Type": "application/json"}
                async with session.post(url, data=body, ssl=trusted, headers=headers) as reply:
                    assert reply.status == 200
                    answers.append(await reply.read())
            return answers

    return asyncio.run(play())


def test_a_vpa_without_an_update_policy_gets_one(authority: trustme.CA, context: ssl.SSLContext) -> None:
    server = AdmissionServer([VpaHandler({})], lambda _: None)
    (answered,) = ask(authority, context, server, json.dumps(review({})).encode())
    response = json.loads(answered)["response"]
    assert (response["uid"], response["allowed"], response["patchType"]) == ("u1", True, "JSONPatch")
    patch = json.loads(base64.b64decode(response["patch"]))
    assert patch == [{"op": "add", "path": "/spec/updatePolicy", "value": {"updateMode": "Recreate"}}]


def test_a_vpa_that_makes_no_sense_is_refused(authority: trustme.CA, context: ssl.SSLContext) -> None:
    server = AdmissionServer([VpaHandler({})], lambda _: None)
    bad = review({"updatePolicy": {"updateMode": "Sometimes", "minReplicas": 0}})
    (answered,) = ask(authority, context, server, json.dumps(bad).encode())
    response = json.loads(answered)["response"]
    assert response["allowed"] is False
    assert response["status"]["code"] == 422
    assert response["status"]["message"] == (
        'VerticalPodAutoscaler.autoscaling.k8s.io "web" is invalid: [spec.updatePolicy.updateMode: Unsupported value: '
        '"Sometimes": supported values: "InPlace", "InPlaceOrRecreate", "Initial", "Off", "Recreate", '
        "spec.updatePolicy.minReplicas: Invalid value: 0: minReplicas has to be positive]"
    )


def test_what_is_not_json_is_allowed_and_reported(authority: trustme.CA, context: ssl.SSLContext) -> None:
    errors: list[str] = []
    (answered,) = ask(authority, context, AdmissionServer([], errors.append), b"nonsense")
    assert json.loads(answered)["response"] == {"uid": "", "allowed": True}
    assert errors


def test_a_failing_handler_costs_only_its_caller(authority: trustme.CA, context: ssl.SSLContext) -> None:
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    calls = 0

    async def handler(_path: str, _headers: Mapping[str, str], _body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise RuntimeError("boom")
        return 200, {}, b"fine"

    async def play() -> bytes:
        async with serve_https(handler, context) as port, aiohttp.ClientSession() as session:
            url = f"https://localhost:{port}/"
            with pytest.raises(aiohttp.ClientError):
                await session.post(url, data=b"", ssl=trusted)
            async with session.post(url, data=b"", ssl=trusted) as reply:
                return await reply.read()

    assert asyncio.run(play()) == b"fine"


def test_an_unknown_tls_version_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must be either tls1_2 or tls1_3"):
        tls_context(tmp_path / "none", tmp_path / "none", "tls1_0")

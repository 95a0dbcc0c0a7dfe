"""`lockstep serve` as a process: what it says, what it refuses, how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import trustme
import yaml

from lockstep import objects


def _start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "lockstep.cli", "serve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _await(file: Path, process: subprocess.Popen[str]) -> str:
    deadline = time.monotonic() + 60
    while not file.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return str(yaml.safe_load(file.read_text())["clusters"][0]["cluster"]["server"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_it_with_its_watches(tmp_path: Path, number: signal.Signals, code: int) -> None:
    file = tmp_path / "kubeconfig"
    process = _start("--kubeconfig", str(file), "--controllers", "replicaset")
    try:
        url = _await(file, process)
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{url}/api/v1/pods?watch=1", timeout=30) as stream:  # noqa: S310 - our own URL
            process.send_signal(number)
            assert stream.read() == b""
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out) == (code, "")
    assert err == f"serving at {url}; use it with: kubectl --kubeconfig {file}\n"


def test_a_snapshot_is_what_the_cluster_begins_with(tmp_path: Path) -> None:
    file, snapshot = tmp_path / "kubeconfig", tmp_path / "snapshot.json"
    pods = [{**objects.replica_set("web", 2), "metadata": {"name": "web", "namespace": "mine", "uid": "old"}}]
    snapshot.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": pods}))
    process = _start("--kubeconfig", str(file), "--snapshot", str(snapshot), "--no-kubelet", "--clock", "virtual")
    try:
        url = _await(file, process)
        with urllib.request.urlopen(f"{url}/apis/apps/v1/replicasets", timeout=30) as answer:  # noqa: S310 - our own URL
            found = json.loads(answer.read())["items"]
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in found] == [("mine", "web")]
    assert process.returncode == 0


def test_with_tls_and_a_token_only_those_who_show_it_get_in(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    certificate, key, token, file = (tmp_path / name for name in ("cert.pem", "key.pem", "token", "kubeconfig"))
    issued.cert_chain_pems[0].write_to_path(str(certificate))
    authority.cert_pem.write_to_path(str(certificate), append=True)
    issued.private_key_pem.write_to_path(str(key))
    token.write_text("open-sesame\n")
    process = _start("--certificate", str(certificate), "--key", str(key), "--token-file", str(token),
                     "--kubeconfig", str(file), "--no-kubelet")  # fmt: skip
    try:
        url = _await(file, process)
        content = yaml.safe_load(file.read_text())
        from kubernetes import client, config

        with config.new_client_from_config(str(file)) as api:
            namespaces = [one.metadata.name for one in client.CoreV1Api(api).list_namespace().items]
            del content["users"][0]["user"]["token"]
        with config.new_client_from_config_dict(content) as api, pytest.raises(client.ApiException) as refused:
            client.CoreV1Api(api).list_namespace()
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert url.startswith("https://127.0.0.1:")
    assert namespaces == ["default", "kube-node-lease", "kube-public", "kube-system"]
    assert refused.value.status == 401


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], "can be reached by others; say --public if that is meant"),  # noqa: S104
        (["--controllers", "rocket"], "there is no controller 'rocket'"),
        (["--owners", "deployments", "--no-kubelet"], "--owners needs the kubelet"),
        (["--owners", "rockets"], "cannot manage 'rockets'"),
        (["--snapshot", "SNAPSHOT"], "neither YAML nor JSON"),
        (["--certificate", "SNAPSHOT"], "--certificate and --key go together"),
        (["--token-file", "SNAPSHOT"], "--token-file needs --certificate and --key"),
    ],
)
def test_bad_input_gets_one_line(tmp_path: Path, words: list[str], message: str) -> None:
    bad = tmp_path / "bad"
    bad.write_text("a: [")
    process = _start(*(word.replace("SNAPSHOT", str(bad)) for word in words))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert message in err
    assert len(err.splitlines()) == 1

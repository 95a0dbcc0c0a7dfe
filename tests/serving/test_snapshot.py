"""Snapshots: manifests and dumps as the first content of a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from lockstep import objects
from lockstep.apiserver import ApiServer
from lockstep.serving import ServeError
from lockstep.serving.snapshot import load_snapshot, read_snapshot


@pytest.fixture
def server() -> ApiServer:
    return ApiServer(lambda: 0)


def _pod(owner: str) -> dict[str, Any]:
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": owner, "controller": True}
    metadata = {
        "name": "web-1",
        "namespace": "mine",
        "uid": "pod",
        "resourceVersion": "7",
        "ownerReferences": [reference],
    }
    spec = {"containers": [{"name": "app", "image": "nginx"}]}
    status = {"phase": "Running"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def test_owners_come_first_and_keep_what_they_own(server: ApiServer, tmp_path: Path) -> None:
    owner = objects.replica_set("web", 1)
    owner["metadata"] |= {"uid": "set", "namespace": "mine"}
    file = tmp_path / "dump.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [_pod("set"), owner]}))
    load_snapshot(server, read_snapshot(file))
    stored, pod = server.find("replicasets.apps", "mine", "web"), server.find("pods", "mine", "web-1")
    assert stored is not None
    assert pod is not None
    assert pod["metadata"]["ownerReferences"][0]["uid"] == stored["metadata"]["uid"]
    assert pod["status"]["phase"] == "Running"


def test_a_typed_list_and_documents_of_yaml_are_read(server: ApiServer, tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    maps = {"apiVersion": "v1", "kind": "ConfigMapList", "items": [{"metadata": {"name": "one"}}]}
    file.write_text(yaml.safe_dump_all([maps, objects.replica_set("web", 1)]))
    load_snapshot(server, read_snapshot(file))
    assert server.find("configmaps", "default", "one") is not None
    assert server.find("replicasets.apps", "default", "web") is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "is neither YAML nor JSON"),
        ("", "holds no objects"),
        ("just text", "every document must be an object"),
        ("kind: Pod", "a Pod lacks apiVersion or metadata.name"),
    ],
)
def test_a_file_that_is_no_snapshot_gets_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad"
    file.write_text(text)
    with pytest.raises(ServeError, match=message) as refused:
        read_snapshot(file)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("one", "message"),
    [
        ({"apiVersion": "v9", "kind": "Rocket"}, "Rocket one: there is no kind Rocket of v9 here"),
        ({"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {}}, "ReplicaSet one: .* is invalid"),
    ],
)
def test_an_object_that_is_refused_is_named(server: ApiServer, one: dict[str, Any], message: str) -> None:
    with pytest.raises(ServeError, match=message):
        load_snapshot(server, [{**one, "metadata": {"name": "one"}}])

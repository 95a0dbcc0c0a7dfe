"""Compacting etcd through its JSON gateway."""

from __future__ import annotations

import base64
from contextlib import closing
from pathlib import Path
from typing import Any

from lockstep.clusters.control_plane.access import client_of
from lockstep.clusters.control_plane.certificates import Pair
from lockstep.clusters.control_plane.errors import ControlPlaneFailed
from lockstep.http import Client, NoAnswer

#: The key under which API servers share how far etcd is compacted (apiserver/pkg/storage/etcd3/compact.go).
_KEY = "compact_rev_key"


def compact(url: str, authority: Path, pair: Pair, revision: int) -> None:
    """Discard all revisions before `revision`. Raises ControlPlaneFailed if etcd refuses or does not answer."""
    with closing(client_of(url, authority, pair)) as client:
        _ask(client, "compaction", {"revision": str(revision), "physical": True})
        _ask(client, "put", {"key": _encoded(_KEY), "value": _encoded(str(revision))})


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _ask(client: Client, what: str, body: dict[str, Any]) -> None:
    try:
        answer = client.request("POST", f"/v3/kv/{what}", body)
    except NoAnswer as error:
        raise ControlPlaneFailed(f"etcd cannot be asked for a {what}: {error}") from error
    if answer.status != 200:
        raise ControlPlaneFailed(f"etcd refuses a {what}: {answer.status} {answer.text[:200]}")

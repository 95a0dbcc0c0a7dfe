"""Compacting etcd through its JSON gateway."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from lockstep.clusters.control_plane.access import Access
from lockstep.clusters.control_plane.certificates import Pair
from lockstep.clusters.control_plane.errors import ControlPlaneFailed

#: The key under which API servers share how far etcd is compacted (apiserver/pkg/storage/etcd3/compact.go).
_KEY = "compact_rev_key"


def compact(url: str, authority: Path, pair: Pair, revision: int) -> None:
    """Discard all revisions before `revision`. Raises ControlPlaneFailed if etcd refuses or does not answer."""
    access = Access(url, authority, pair)
    _ask(access, "compaction", {"revision": str(revision), "physical": True})
    _ask(access, "put", {"key": _encoded(_KEY), "value": _encoded(str(revision))})


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _ask(access: Access, what: str, body: dict[str, Any]) -> None:
    try:
        status, text = access.request("POST", f"/v3/kv/{what}", body)
    except OSError as error:
        raise ControlPlaneFailed(f"etcd does not answer a {what}: {error}") from error
    if status != 200:
        raise ControlPlaneFailed(f"etcd refuses a {what}: {status} {text[:200]}")

"""Having etcd forget old revisions, through the JSON gateway that it has beside its own protocol."""

from __future__ import annotations

from harness.control_plane.access import Access
from harness.control_plane.certificates import Pair
from harness.control_plane.errors import ControlPlaneFailed
from pathlib import Path


def compact(url: str, authority: Path, pair: Pair, revision: int) -> None:
    """Forget what was before `revision`. Raises ControlPlaneFailed if etcd refuses, or does not answer."""
    body = {"revision": str(revision), "physical": True}
    try:
        status, text = Access(url, authority, pair).request("POST", "/v3/kv/compaction", body)
    except OSError as error:
        raise ControlPlaneFailed(f"etcd does not answer a compaction: {error}") from error
    if status != 200:
        raise ControlPlaneFailed(f"etcd refuses a compaction at revision {revision}: {status} {text[:200]}")

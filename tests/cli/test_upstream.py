"""`lockstep upstream`: what is built, and from what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lockstep.implementations.upstream.build as upstream_build
from lockstep.implementations.upstream.build import Built

Lockstep = Callable[..., Any]
BUILT = Built(
    Path("/cache/upstream.test"), "1.36.3", "d1", "h1:sum", "go1.26.1", "1.36.3", "1.7.3", "h1:vpa", "hpa", ""
)


def test_list(lockstep: Lockstep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream_build, "installed", lambda: [BUILT])
    lines = lockstep("upstream", "list").out.splitlines()
    assert lines[:3] == [
        "release    state  controllers",
        "1.36.3     built  replicaset, hpa, vpa-recommender, vpa-updater, vpa-admission (VPA 1.7.3)",
        "1.35.4     -      replicaset, hpa",
    ]
    assert "vpa-1.8.1  -      vpa-recommender, vpa-updater, vpa-admission (VPA 1.8.1)" in lines


def test_build_shows_its_progress_beside_the_result(lockstep: Lockstep, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(release: str, progress: Callable[[str], None]) -> Built:
        progress(f"compiling {release}")
        return BUILT

    monkeypatch.setattr(upstream_build, "build", build)
    result = lockstep("upstream", "build")
    assert (result.code, result.err) == (0, "compiling 1.36.3\n")
    assert result.out == "upstream 1.36.3 is built: /cache/upstream.test\n"


def test_info(lockstep: Lockstep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream_build, "info", lambda release: BUILT if release == "1.36.3" else None)
    assert "go version          go1.26.1" in lockstep("upstream", "info").out.splitlines()
    missing = lockstep("upstream", "info", "1.34.4")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err == (
        "lockstep upstream info: upstream 1.34.4 is not built; lockstep upstream build 1.34.4 does it\n"
    )

"""Recordings are evidence: damaged or missing ones are refused, and none is taken in continuous integration."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.quality.fidelity import recordings
from lockstep.quality.fidelity.wire import FidelityError

PROVENANCE = {"server": "kube-apiserver v1", "release": "1.36.3", "harness_version": "0", "recorded": "2026-01-01"}


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(recordings, "_ROOT", tmp_path)
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


def test_what_is_saved_is_loaded() -> None:
    steps = {"topic/one": [{"step": "GET /", "code": 200, "body": {"a": [1, None]}}]}
    path = recordings.save("topic", steps, PROVENANCE)
    assert path == recordings.path_of("topic")
    assert recordings.load("topic") == steps


def test_a_missing_recording_says_how_to_take_it() -> None:
    with pytest.raises(FidelityError, match="lockstep fidelity --record"):
        recordings.load("topic")


def test_a_recording_that_was_changed_is_refused() -> None:
    path = recordings.save("topic", {"topic/one": [{"step": "GET /", "code": 200}]}, PROVENANCE)
    path.write_text(path.read_text(encoding="utf-8").replace("200", "201"), encoding="utf-8")
    with pytest.raises(FidelityError, match="changed by hand"):
        recordings.load("topic")


@pytest.mark.parametrize("text", ["", "[]", '{"scenarios": {}}'])
def test_what_is_no_recording_is_refused(text: str, root: Path) -> None:
    path = recordings.path_of("topic")
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FidelityError, match="is damaged"):
        recordings.load("topic")


def test_none_is_taken_where_ci_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "1")
    with pytest.raises(FidelityError, match="CI"):
        recordings.save("topic", {}, PROVENANCE)

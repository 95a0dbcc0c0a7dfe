from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from lockstep.trace import recordings
from lockstep.trace.history_file import DamagedHistory, load_history, save_history
from lockstep.trace.normalise import normalise
from lockstep.trace.recordings import DamagedRecording, NoRecording, Provenance, RecordingRefused, readable

PROVENANCE = Provenance("upstream", "1.36.3", "h1:abc", "go1.26.0", "0.1.0", 0, "2026-11-21")


@pytest.fixture(autouse=True)
def _on_a_development_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def trace(builder: Any, scaled_up: Any) -> Any:
    names = scaled_up(builder)
    builder.at(9).delete_pod(names[0])
    return normalise(builder.history)


def save(root: Path, trace: Any, provenance: Provenance = PROVENANCE) -> Path:
    return recordings.save(root, scenario_id="replicaset/a", must="It MUST.", provenance=provenance, variants=[trace])


def test_what_is_saved_is_loaded(tmp_path: Path, trace: Any) -> None:
    path = save(tmp_path, trace)
    assert path == tmp_path / "1.36.3" / "replicaset" / "a.json"
    loaded = recordings.load(tmp_path, "1.36.3", "replicaset/a")
    assert loaded.variants == [trace]
    assert (loaded.provenance, loaded.must) == (PROVENANCE, "It MUST.")
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]


def test_a_recording_reads_one_write_a_line_and_is_the_same_every_time(tmp_path: Path, trace: Any) -> None:
    path = save(tmp_path, trace)
    text = path.read_text()
    assert sum('"verb": "create"' in line for line in text.splitlines()) == 2  # one for all pods, one for all events
    assert sum('"verb": "delete"' in line for line in text.splitlines()) == 1
    save(tmp_path, trace)
    assert path.read_text() == text


def test_recordings_are_refused_in_ci(tmp_path: Path, trace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(RecordingRefused, match="CI is set"):
        save(tmp_path, trace)
    assert list(tmp_path.iterdir()) == []


def test_only_upstream_is_recorded(tmp_path: Path, trace: Any) -> None:
    with pytest.raises(RecordingRefused, match="evidence of upstream only, not of reference"):
        save(tmp_path, trace, dataclasses.replace(PROVENANCE, implementation="reference"))
    with pytest.raises(RecordingRefused, match="nothing to record"):
        recordings.save(tmp_path, scenario_id="replicaset/a", must="", provenance=PROVENANCE, variants=[])


def test_a_missing_recording_says_how_to_take_it(tmp_path: Path) -> None:
    with pytest.raises(NoRecording, match=r"lockstep record replicaset/a --release 1\.36\.3"):
        recordings.load(tmp_path, "1.36.3", "replicaset/a")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text[: len(text) // 2], "not JSON"),
        (lambda text: text.replace('"1.000"', '"1.001"'), "does not fit its digest"),
        (lambda _: "[]", "must have the fields"),
        (lambda text: "\ufeff" + text, "not JSON"),
        (lambda _: "", "not JSON"),
    ],
    ids=["truncated", "edited", "other", "marked", "empty"],
)
def test_a_damaged_recording_is_named_in_one_line(tmp_path: Path, trace: Any, damage: Any, reason: str) -> None:
    path = save(tmp_path, trace)
    path.write_text(damage(path.read_text()), encoding="utf-8")
    with pytest.raises(DamagedRecording, match=reason) as error:
        recordings.load(tmp_path, "1.36.3", "replicaset/a")
    message = str(error.value)
    assert f"{path} is damaged" in message
    assert "lockstep record replicaset/a --release 1.36.3" in message
    assert "\n" not in message


def test_a_recording_that_cannot_be_read_is_named_in_one_line(tmp_path: Path) -> None:
    recordings.path_of(tmp_path, "1.36.3", "replicaset/a").mkdir(parents=True)
    with pytest.raises(DamagedRecording, match=r"a\.json is damaged: Is a directory; restore it"):
        recordings.load(tmp_path, "1.36.3", "replicaset/a")


def test_all_users_may_read_a_recording(tmp_path: Path, trace: Any) -> None:
    assert save(tmp_path, trace).stat().st_mode & 0o777 == 0o644


def test_a_recording_under_a_wrong_name_is_refused(tmp_path: Path, trace: Any) -> None:
    path = save(tmp_path, trace)
    path.rename(path.with_name("b.json"))
    with pytest.raises(DamagedRecording, match="of another scenario"):
        recordings.load(tmp_path, "1.36.3", "replicaset/b")


def test_an_interrupted_save_leaves_the_old_file(tmp_path: Path, trace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path, trace)
    before = path.read_bytes()

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lockstep.files.os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(tmp_path, trace, dataclasses.replace(PROVENANCE, seed=1))
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]


def test_readable_json_is_json() -> None:
    value = {"b": [{"verb": "x" * 200}], "a": {"c": list(range(100))}, "d": [], "e": "ü"}
    assert json.loads(readable(value)) == value


def test_a_history_survives_its_file(tmp_path: Path, builder: Any, scaled_up: Any) -> None:
    scaled_up(builder)
    path = tmp_path / "run.jsonl"
    save_history(path, builder.history, {"scenario": "replicaset/a", "start": 0})
    history, facts = load_history(path)
    assert list(history) == list(builder.history)
    assert history.controllers == builder.history.controllers
    assert facts == {"scenario": "replicaset/a", "start": 0}
    assert normalise(history) == normalise(builder.history)


@pytest.mark.parametrize(
    "damage",
    [lambda text: text[:-30], lambda _: "", lambda text: text.split("\n", 1)[1], lambda _: "[]"],
    ids=["cut", "empty", "headless", "other"],
)
def test_a_damaged_history_is_named(tmp_path: Path, builder: Any, scaled_up: Any, damage: Any) -> None:
    scaled_up(builder)
    path = tmp_path / "run.jsonl"
    save_history(path, builder.history, {})
    path.write_text(damage(path.read_text()))
    with pytest.raises(DamagedHistory, match=r"run\.jsonl is not a complete history"):
        load_history(path)


def test_a_truncated_history_is_noticed(tmp_path: Path, builder: Any, scaled_up: Any) -> None:
    scaled_up(builder)
    path = tmp_path / "run.jsonl"
    save_history(path, builder.history, {})
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DamagedHistory, match="it holds 11 of 12 writes"):
        load_history(path)

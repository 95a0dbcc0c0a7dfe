"""Recordings: what upstream did in a scenario, kept as evidence in `<release>/<scenario id>.json` below a folder.

Upstream leaves some choices to the order of Go maps and to scheduling, so a recording holds every variant of its
behaviour that was seen. A run conforms if it equals one of them. Recordings are taken from upstream only, never in
continuous integration and never written by hand: a digest over the content reveals an edit.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from lockstep.errors import LockstepError
from lockstep.files import write_whole
from lockstep.trace.model import Trace
from lockstep.trace.values import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARTS = ("provenance", "scenario", "variants", "digest")
_LINE = 100


class NoRecording(LockstepError):
    """There is no recording of the scenario for the release."""


class DamagedRecording(LockstepError):
    """A recording cannot be trusted; the message names the file, the reason and what to do."""


class RecordingRefused(LockstepError):
    """Nothing was written, since a recording from here would be no evidence."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a recording comes from."""

    #: "upstream": nothing else is ever recorded.
    implementation: str
    release: str
    #: Digest of the Go modules that were built.
    module_digest: str
    go_version: str
    harness_version: str
    seed: int
    #: The day, as YYYY-MM-DD.
    recorded: str
    #: Controllers that the release does not have, each with the implementation that stood in; absent if there were
    #: none.
    substitutes: str = ""


@dataclass(frozen=True, slots=True)
class Recording:
    """What upstream was seen to do in a scenario."""

    provenance: Provenance
    scenario_id: str
    must: str
    variants: list[Trace]


def path_of(folder: Path, release: str, scenario_id: str) -> Path:
    """Where the recording of a scenario lies below the folder of recordings."""
    return folder / release / f"{scenario_id}.json"


def save(folder: Path, *, scenario_id: str, must: str, provenance: Provenance, variants: Sequence[Trace]) -> Path:
    """Write a recording whole or not at all. Raises RecordingRefused in CI and for anything but upstream."""
    if os.environ.get("CI"):
        raise RecordingRefused(
            "recordings are not taken where CI is set; record on a development machine and review them"
        )
    if provenance.implementation != "upstream":
        raise RecordingRefused(
            f"recordings are evidence of upstream only, not of {provenance.implementation}; record with upstream"
        )
    if not variants:
        raise RecordingRefused(f"{scenario_id}: there is nothing to record; run the scenario at least once")
    content: dict[str, Any] = {
        "provenance": _fields_of(provenance),
        "scenario": {"id": scenario_id, "must": must},
        "variants": [trace.to_json() for trace in variants],
    }
    path = path_of(folder, provenance.release, scenario_id)
    write_whole(path, readable(content | {"digest": digest(content)}) + "\n")
    return path


def load(folder: Path, release: str, scenario_id: str) -> Recording:
    """The recording of a scenario. Raises NoRecording or DamagedRecording, each with one line that says what to do."""
    path = path_of(folder, release, scenario_id)
    if not path.exists():
        raise NoRecording(
            f"{scenario_id} has no recording of upstream {release}; take one with "
            f"`lockstep record {scenario_id} --release {release}`"
        )
    try:
        return _parse(path.read_bytes(), release, scenario_id)
    except (OSError, ValueError) as error:
        reason = str(error.strerror) if isinstance(error, OSError) else " ".join(str(error).split())
        raise DamagedRecording(
            f"{path} is damaged: {reason}; restore it, or take it again with "
            f"`lockstep record {scenario_id} --release {release}`"
        ) from None


def _parse(raw: bytes, release: str, scenario_id: str) -> Recording:
    try:
        data = orjson.loads(raw)
    except ValueError as error:
        raise ValueError(f"it is not JSON ({error})") from None
    if not isinstance(data, dict) or sorted(data) != sorted(_PARTS):
        raise ValueError(f"it must have the fields {', '.join(_PARTS)}")
    if digest({name: data[name] for name in _PARTS if name != "digest"}) != data["digest"]:
        raise ValueError("its content does not fit its digest, so it was changed by hand or in transit")
    provenance = data["provenance"]
    if not isinstance(provenance, dict) or {*provenance, "substitutes"} != {one.name for one in fields(Provenance)}:
        raise ValueError(f"its provenance must have the fields {', '.join(one.name for one in fields(Provenance))}")
    if provenance["implementation"] != "upstream":
        raise ValueError("it was not taken from upstream")
    scenario, variants = data["scenario"], data["variants"]
    if provenance["release"] != release or not isinstance(scenario, dict) or scenario.get("id") != scenario_id:
        raise ValueError("it is of another scenario or release than its path says")
    if not isinstance(variants, list) or not variants:
        raise ValueError("it holds no variant")
    traces = [Trace.from_json(one) for one in variants]
    return Recording(Provenance(**provenance), scenario_id, str(scenario.get("must", "")), traces)


def _fields_of(provenance: Provenance) -> dict[str, Any]:
    return {name: value for name, value in asdict(provenance).items() if name != "substitutes" or value}


def readable(value: Any, indent: str = "") -> str:
    """JSON with sorted keys, made for readable diffs: a line holds as much as fits, and at least one write."""
    flat = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if len(indent) + len(flat) <= _LINE or not isinstance(value, dict | list) or not value or _is_item(value):
        return flat
    deeper = indent + " "
    if isinstance(value, list):
        inner = [deeper + readable(item, deeper) for item in value]
        return "[\n" + ",\n".join(inner) + f"\n{indent}]"
    inner = [f"{deeper}{json.dumps(key)}: {readable(value[key], deeper)}" for key in sorted(value)]
    return "{\n" + ",\n".join(inner) + f"\n{indent}}}"


def _is_item(value: Any) -> bool:
    return isinstance(value, dict) and ("verb" in value or "phase" in value)

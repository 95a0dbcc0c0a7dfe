"""What the real kube-apiserver answered, kept as evidence: `recordings/apiserver/<release>/<topic>.json`.

They are normalised transcripts, without uids and instants. Only `lockstep fidelity --record` writes them, never in
continuous integration, and a digest reveals an edit by hand.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from lockstep.files import write_whole
from lockstep.quality.fidelity.wire import FidelityError
from lockstep.trace.recordings import readable
from lockstep.trace.values import digest
from lockstep_fixtures import ROOT as FIXTURES

RELEASE = "1.36.3"
_ROOT = FIXTURES / "recordings" / "apiserver"
#: The steps of scenarios, by id.
Steps = Mapping[str, list[dict[str, Any]]]


def path_of(topic: str, release: str = RELEASE) -> Path:
    """The path of a topic's recording."""
    return _ROOT / release / f"{topic}.json"


def save(topic: str, steps: Steps, provenance: Mapping[str, str]) -> Path:
    """Write a topic's recording. Raises FidelityError if CI is set."""
    if os.environ.get("CI"):
        raise FidelityError("recordings are not taken where CI is set; record on a development machine and review them")
    content = {"provenance": dict(provenance), "scenarios": dict(steps)}
    path = path_of(topic, provenance["release"])
    write_whole(path, readable(content | {"digest": digest(content)}) + "\n")
    return path


def load(topic: str, release: str = RELEASE) -> Steps:
    """The steps of a topic's scenarios. Raises FidelityError if there is no recording, or a damaged one."""
    path = path_of(topic, release)
    name = f"recordings/apiserver/{release}/{topic}.json"
    again = "take it with `lockstep fidelity --record`"
    try:
        data = orjson.loads(path.read_bytes())
        content = {"provenance": data["provenance"], "scenarios": data["scenarios"]}
        intact = data["digest"] == digest(content)
    except FileNotFoundError:
        raise FidelityError(f"{name} does not exist; {again}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FidelityError(f"{name} is damaged: {error}; {again}") from None
    if not intact:
        raise FidelityError(f"{name} does not match its digest, so it was changed by hand or in transit; {again}")
    scenarios: dict[str, list[dict[str, Any]]] = content["scenarios"]
    return scenarios

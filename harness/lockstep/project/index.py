"""The index of the built-in suite: the name and place of each scenario, without importing any of them.

Kept in the user's cache. It is valid only while names, sizes and modification times of the files stay the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import orjson

import lockstep
from lockstep.files import cache_folder, write_whole
from lockstep.project.loading import load, suite_root
from lockstep.scenarios.declare import Scenario
from lockstep_fixtures import ROOT as FIXTURES


@dataclass(frozen=True, slots=True)
class Entry:
    """The facts about a scenario that users see and selections use; the fields are those of `Scenario`."""

    id: str
    must: str
    source: tuple[str, ...]
    issues: tuple[str, ...]
    controllers: tuple[str, ...]
    features: tuple[str, ...]
    horizon: float
    virtual: str
    module: str
    file: str
    line: int

    @classmethod
    def of(cls, scenario: Scenario) -> Entry:
        """The entry of a scenario."""
        return cls(**{one.name: getattr(scenario, one.name) for one in fields(cls)})

    @property
    def controller(self) -> str:
        """The controller that the scenario is about."""
        return self.controllers[0]

    @property
    def name(self) -> str:
        """The id without its first part."""
        return self.id.partition("/")[2] or self.id


def suite_entries() -> list[Entry]:
    """The entries of all scenarios of the built-in suite, sorted by id."""
    file = cache_folder("index") / f"{_state_of_the_suite()}.json"
    try:
        kept = orjson.loads(file.read_bytes())
        entries = [_entry(row) for row in kept]
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        entries = []
    if not entries:
        entries = [Entry.of(one) for one in load()]
        _keep(entries, file)
    return entries


def _entry(row: dict[str, Any]) -> Entry:
    fields_: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in row.items()}
    if not isinstance(fields_["id"], str) or not isinstance(fields_["must"], str):
        raise TypeError("not an entry")
    return Entry(**fields_)


def _keep(entries: Sequence[Entry], file: Path) -> None:
    """Write the index, and remove those of earlier states. Without a writable cache, each call makes a new one."""
    with suppress(OSError):
        write_whole(file, orjson.dumps([asdict(one) for one in entries]).decode())
        for other in file.parent.glob("*.json"):
            if other != file:
                other.unlink(missing_ok=True)


def _state_of_the_suite() -> str:
    found = hashlib.sha256(lockstep.__version__.encode())
    for root, pattern in ((suite_root(), "*.py"), (FIXTURES / "regressions", "*.json")):
        for path in sorted(root.rglob(pattern)):
            facts = path.stat()
            found.update(f"{path}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode())
    return found.hexdigest()[:16]

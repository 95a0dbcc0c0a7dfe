"""A transcript in a form that is equal for two servers: values that each server chooses become symbols.

| what | becomes |
|---|---|
| names that were made for the run | what they stand for, wherever they occur |
| uids | `<uid 1>`, `<uid 2>` ... in order of appearance |
| versions of objects | `<version 1>` ... in order of size |
| versions of lists and bookmarks | `<latest>`, or the version of an object that they lie after |
| instants that the server chose | `<now>`, or `<now+30s>`, by the server's clock when they were first seen |
| cells of a table's column "Age" | `<age>`, if it is the time since the row's object was created |
| suffixes of generated names | `<name 1>` ... in order of appearance |
| tokens of pages | `<continue 1>` ... by the answer that showed them last |
| hashes of storage versions, addresses of services | the name of the field |
| managed fields | those of appliers stay, without their times, in the order of names |
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

from lockstep.quality.fidelity.transcript import Step, Transcript

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_NUMBER = re.compile(
    r"(?<=resourceVersion=)\d+|(?<=resource version: )\d+|(?<=precondition \()\d+|(?<=object meta: )\d+"
    r'|(?<=resourceVersion\\":\\")\d+'
)
_SECONDS = re.compile(r"(\d+)s")
#: Versions that are always the server's own, even if no answer has shown them: an eviction answers without the object.
_RECORD = re.compile(r"(?<=record \()\d+")
_CURRENT = re.compile(r"(current: |too old resource version: \d+ \()\d+")
#: A digest over the group of a resource, which may be one of the run's own, and addresses from a range.
_CHOSEN = frozenset({"storageVersionHash", "clusterIP", "clusterIPs"})
_SUFFIX_LENGTH = 5
_LONGEST_PREFIX = 63 - _SUFFIX_LENGTH
#: Seconds by which an instant may differ from "now", because fractions are cut off and requests take time.
_SLACK = 3
_STEP = 5


def comparable(transcript: Transcript) -> list[dict[str, Any]]:
    """The steps as plain JSON with symbols: title, code, headers and body; `sent` is left out."""
    return list(_Symbols(transcript).steps())


class _Symbols:
    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._uids: dict[str, str] = {}
        self._instants: dict[str, str] = {}
        self._names: dict[str, str] = {}
        #: Instants that a client sent before the server did are the client's, so they are kept.
        self._sent: set[str] = set()
        self._tokens: dict[str, str] = {}
        self._pages = 0
        self._prefixes: dict[str, re.Pattern[str]] = {}
        self._seen: list[int] = sorted(self._object_versions())
        self._latest = 0
        self._at = 0.0

    def steps(self) -> Iterator[dict[str, Any]]:
        """All steps, in order."""
        for step in self._transcript.steps:
            self._at = step.at
            self._learn(step.sent)
            for version in _versions(step.body):
                self._latest = max(self._latest, version)
            yield self._step(step)

    def _step(self, step: Step) -> dict[str, Any]:
        result: dict[str, Any] = {"step": self._text(step.title)}
        if step.code:
            result["code"] = step.code
        token = (step.body.get("metadata") or {}).get("continue") if isinstance(step.body, dict) else None
        if token:
            # A new symbol for each answer: whether two lists have the same version depends on the server's other
            # writes.
            self._pages += 1
            self._tokens |= dict.fromkeys((token, quote(token)), f"<continue {self._pages}>")
        for header in ("retry-after", "warning"):
            if header in step.headers:
                result[header] = self._text(step.headers[header])
        result["events" if not step.code else "body"] = self._value(step.body, "")
        return result

    def _object_versions(self) -> set[int]:
        return {version for step in self._transcript.steps for version in _versions(step.body)}

    def _value(self, value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return [self._value(item, key) for item in value]
        if not isinstance(value, str):
            return value
        if key in _CHOSEN:
            return f"<{key}>"
        return self._text(value)

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        if value.get("kind") == "Table":
            value = _without_ages(value, self._at)
        metadata = value.get("metadata")
        result = {self._text(key): self._value(value[key], key) for key in sorted(value)}
        if isinstance(metadata, dict) and "resourceVersion" in metadata:
            result["metadata"]["resourceVersion"] = self._version(metadata)
        managed = [item for item in result.pop("managedFields", []) if item.get("operation") == "Apply"]
        causes = result.get("causes")
        if isinstance(causes, list) and causes and causes[0].get("reason") == "FieldManagerConflict":
            result["causes"] = sorted(causes, key=lambda cause: (cause["message"], cause["field"]))  # a Go map's order
        if not managed:
            return result
        managed = [{key: item[key] for key in item if key != "time"} for item in managed]
        return {
            **result,
            "managedFields": sorted(managed, key=lambda item: (item["manager"], item.get("subresource", ""))),
        }

    def _learn(self, sent: Any) -> None:
        """Record what a client sent: its own instants, and prefixes for names."""
        for key, text in _strings(sent):
            if _INSTANT.fullmatch(text) and text not in self._instants:
                self._sent.add(text)
            if key == "generateName" and text:
                kept = re.escape(text[:_LONGEST_PREFIX])
                self._prefixes[text] = re.compile(rf"{kept}[bcdfghjklmnpqrstvwxz2456789]{{5}}(?![a-z0-9])")

    def _version(self, metadata: dict[str, Any]) -> str:
        text = metadata["resourceVersion"]
        if not isinstance(text, str) or not text.isdecimal():
            return str(text)
        version = int(text)
        rank = bisect_right(self._seen, version)
        if "uid" in metadata or "creationTimestamp" in metadata:
            return f"<version {rank}>"
        return "<latest>" if version >= self._latest else f"<version {rank} or later>"

    def _instant(self, text: str) -> str:
        if text in self._sent:
            return text
        if text not in self._instants:
            ahead = datetime.fromisoformat(text).timestamp() - self._at
            steps = round(ahead / _STEP) * _STEP
            kind = "micro" if "." in text else ""
            self._instants[text] = f"<{kind}now>" if abs(ahead) <= _SLACK else f"<{kind}now{steps:+d}s>"
        return self._instants[text]

    def _text(self, text: str) -> str:
        for pattern in self._prefixes.values():
            text = pattern.sub(lambda found: self._name(found[0]), text)
        for literal, symbol in (*self._tokens.items(), *self._transcript.names.items()):
            text = text.replace(literal, symbol)
        if ":" in text:
            text = _INSTANT.sub(lambda found: self._instant(found[0]), text)
        if "-" in text:
            text = _UID.sub(lambda found: self._uid(found[0]), text)
        if "esource" in text:
            text = _CURRENT.sub(r"\1<latest>", text)
            text = _NUMBER.sub(lambda found: self._number(found[0]), text)
            text = _RECORD.sub(lambda found: self._recorded(found[0]), text)
        return text

    def _name(self, text: str) -> str:
        """The symbol of a generated name, with a number to tell several apart."""
        return self._names.setdefault(text, f"{text[:-_SUFFIX_LENGTH]}<name {len(self._names) + 1}>")

    def _uid(self, text: str) -> str:
        return self._uids.setdefault(text, f"<uid {len(self._uids) + 1}>")

    def _number(self, text: str) -> str:
        rank, seen = self._rank(int(text))
        return f"<version {rank}>" if seen else text

    def _recorded(self, text: str) -> str:
        rank, seen = self._rank(int(text))
        return f"<version {rank}>" if seen else f"<after version {rank}>"

    def _rank(self, version: int) -> tuple[int, bool]:
        """How many of the versions seen are not larger, and whether this one was seen."""
        rank = bisect_right(self._seen, version)
        return rank, rank > 0 and self._seen[rank - 1] == version


def _without_ages(table: dict[str, Any], at: float) -> dict[str, Any]:
    """The table with a symbol in each cell that gives the age of the row's object at the instant `at`."""
    ages = {place for place, column in enumerate(table["columnDefinitions"]) if column["name"] == "Age"}
    return {**table, "rows": [_without_age(row, ages, at) for row in table.get("rows") or ()]}


def _without_age(row: dict[str, Any], ages: set[int], at: float) -> dict[str, Any]:
    metadata = (row.get("object") or {}).get("metadata") or {}
    if "creationTimestamp" not in metadata:
        return row
    age = at - datetime.fromisoformat(metadata["creationTimestamp"]).timestamp()
    cells = enumerate(row["cells"])
    return {**row, "cells": ["<age>" if place in ages and _is_age(cell, age) else cell for place, cell in cells]}


def _is_age(cell: Any, age: float) -> bool:
    found = _SECONDS.fullmatch(str(cell))
    return found is not None and abs(int(found[1]) - age) <= _SLACK


def _versions(value: Any) -> Iterator[int]:
    """The versions of all objects in a body."""
    if isinstance(value, list):
        for item in value:
            yield from _versions(item)
    elif isinstance(value, dict):
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and ("uid" in metadata or "creationTimestamp" in metadata):
            text = metadata.get("resourceVersion", "")
            if isinstance(text, str) and text.isdecimal():
                yield int(text)
        for key in ("items", "object"):
            if key in value:
                yield from _versions(value[key])


def _strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """All texts in a body, each with its field."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, key)

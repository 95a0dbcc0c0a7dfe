"""A transcript in a form that two servers can share: what each server chooses for itself becomes a symbol.

| what | becomes |
|---|---|
| names that were made for the run | what they stand for, wherever they occur |
| uids | `<uid 1>`, `<uid 2>` ... in order of appearance |
| versions of objects | `<version 1>` ... in order of size |
| versions of lists and bookmarks | `<latest>`, or the version of an object that they lie after |
| instants that the server chose | `<now>`, or `<now+30s>`, by the server's clock when they were first seen |
| suffixes of generated names | `<name 1>` ... in order of appearance |
| managed fields | those of appliers stay |
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from harness.fidelity.transcript import Step, Transcript

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.-])")
_CURRENT = re.compile(r"(current: |too old resource version: \d+ \()\d+")
_SUFFIX_LENGTH = 5
#: Seconds by which an instant may lie off "now", for the fraction that is cut and the time that a request takes.
_SLACK = 3
_STEP = 5


def comparable(transcript: Transcript) -> list[dict[str, Any]]:
    """The steps as plain JSON with symbols: title, code, headers and body; `sent` is left out."""
    return [one for one in _Symbols(transcript).steps()]


class _Symbols:
    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._uids: dict[str, str] = {}
        self._instants: dict[str, str] = {}
        self._names: dict[str, str] = {}
        #: Text that a client sent is the client's, so it stays.
        self._sent = {text for step in transcript.steps for text in _strings(step.sent)}
        self._seen: list[int] = sorted(self._object_versions())
        self._latest = 0
        self._at = 0.0

    def steps(self) -> Iterator[dict[str, Any]]:
        """All steps, in order."""
        for step in self._transcript.steps:
            self._at = step.at
            for version in _versions(step.body):
                self._latest = max(self._latest, version)
            yield self._step(step)

    def _step(self, step: Step) -> dict[str, Any]:
        told: dict[str, Any] = {"step": self._text(step.title)}
        if step.code:
            told["code"] = step.code
        for header in ("retry-after", "warning"):
            if header in step.headers:
                told[header] = self._text(step.headers[header])
        told["events" if not step.code else "body"] = self._value(step.body, "")
        return told

    def _object_versions(self) -> set[int]:
        return {version for step in self._transcript.steps for version in _versions(step.body)}

    def _value(self, value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return [self._value(item, key) for item in value]
        if not isinstance(value, str):
            return value
        if _INSTANT.fullmatch(value):
            return self._instant(value)
        return self._text(value)

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        metadata = value.get("metadata")
        if isinstance(metadata, dict):
            self._learn_name(metadata)
        told = {self._text(key): self._value(item, key) for key, item in value.items()}
        if isinstance(metadata, dict) and "resourceVersion" in metadata:
            told["metadata"]["resourceVersion"] = self._version(metadata)
        managed = [item for item in told.pop("managedFields", []) if item.get("operation") == "Apply"]
        return {**told, "managedFields": managed} if managed else told

    def _learn_name(self, metadata: dict[str, Any]) -> None:
        prefix, name = metadata.get("generateName"), metadata.get("name")
        if prefix and name and name not in self._names and name not in self._sent:
            self._names[name] = f"{name[:-_SUFFIX_LENGTH]}<name {len(self._names) + 1}>"

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
        for literal, symbol in (*self._transcript.names.items(), *self._names.items()):
            if literal in text:
                text = text.replace(literal, symbol)
        if "-" in text:
            text = _UID.sub(lambda found: self._uid(found[0]), text)
        if "esource" in text:
            text = _CURRENT.sub(r"\1<latest>", text)
            text = _NUMBER.sub(lambda found: self._number(found[0]), text)
        return text

    def _uid(self, text: str) -> str:
        return self._uids.setdefault(text, f"<uid {len(self._uids) + 1}>")

    def _number(self, text: str) -> str:
        version = int(text)
        rank = bisect_right(self._seen, version)
        return f"<version {rank}>" if rank and self._seen[rank - 1] == version else text


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


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)

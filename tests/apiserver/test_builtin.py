"""The table of the built-in kinds: what it has to have for those who read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from lockstep.apiserver.builtin import types
from lockstep.apiserver.builtin.resources import resources
from lockstep.apiserver.builtin.types import Field, fields, is_struct, numbers, struct, type_of
from lockstep.apiserver.kinds import BUILT_IN, SUBRESOURCES, Kind
from lockstep.apiserver.kinds_stored import STORED
from lockstep.quality.fidelity.recordings import RELEASE


def _reached() -> Iterator[tuple[str, Field]]:
    """Every field of every type that a kind's objects have."""
    waiting = [type_of(kind.api_version, kind.kind) for kind in (*BUILT_IN, *STORED)]
    seen = set(waiting)
    while waiting:
        name = waiting.pop()
        for field in struct(name):
            yield name, field
            inner = field.type.rpartition(" ")[2]
            if is_struct(inner) and inner not in seen:
                seen.add(inner)
                waiting.append(inner)


@pytest.mark.parametrize("kind", [*BUILT_IN, *STORED], ids=lambda kind: f"{kind.api_version}.{kind.kind}")
def test_every_kind_has_a_type(kind: Kind) -> None:
    assert {"apiVersion", "kind", "metadata"} <= set(fields(type_of(kind.api_version, kind.kind)))


def test_every_kind_of_a_ga_version_is_served_but_two() -> None:
    served = {(kind.group, kind.version, kind.plural) for kind in (*BUILT_IN, *STORED)}
    assert resources().keys() - served == {("", "v1", "bindings"), ("", "v1", "componentstatuses")}
    assert {name for kind in (*BUILT_IN, *STORED) for name in kind.subresources} == SUBRESOURCES


def test_keys_of_lists_are_fields_of_their_elements() -> None:
    keyed = {(name, field.name): field for name, field in _reached() if field.merge_key or field.list_keys}
    assert len(keyed) > 50
    for place, field in keyed.items():
        element = fields(field.type.removeprefix("list "))
        assert {field.merge_key, *field.list_keys} - {""} <= element.keys(), place


def test_numbers_are_those_of_protobuf() -> None:
    for name, _ in _reached():
        assert len(numbers(name)) == len(struct(name)), name
    assert numbers("core/v1.PodSpec")[2].name == "containers"
    assert numbers("core/v1.Volume")[2].type == "core/v1.VolumeSource"
    assert fields("core/v1.Volume")["secret"].number == 6


def test_both_files_name_the_same_source() -> None:
    folder = Path(types.__file__).parent
    one, other = (orjson.loads((folder / name).read_bytes())["provenance"] for name in ("types.json", "resources.json"))
    assert one == other
    assert one["release"] == RELEASE
    assert all(digest.startswith("h1:") for digest in one["modules"].values())

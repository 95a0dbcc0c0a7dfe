"""Derives `fields.json` from Go sources: `python -m tools.protobuf_fields API APIMACHINERY EXTENSIONS`.

The arguments are folders of the unpacked modules k8s.io/api, k8s.io/apimachinery and k8s.io/apiextensions-apiserver.
Only facts are taken: the JSON name, the number and the type of each field, as the struct tags give them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson

from lockstep.files import write_whole

TABLE = Path(__file__).resolve().parents[1] / "harness/lockstep/serving/protobuf/fields.json"
_GROUPS = (
    "core/v1",
    "apps/v1",
    "batch/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "policy/v1",
    "events/v1",
    "coordination/v1",
    "authentication/v1",
    "authorization/v1",
    "admissionregistration/v1",
    "certificates/v1",
    "discovery/v1",
    "flowcontrol/v1",
    "networking/v1",
    "node/v1",
    "rbac/v1",
    "resource/v1",
    "scheduling/v1",
    "storage/v1",
)
_META = "pkg/apis/meta/v1"
_EXTENSIONS = "pkg/apis/apiextensions/v1"
#: Go types outside the packages above that have a JSON form of their own.
_SPECIAL = {
    "metav1.Time": "time",
    "metav1.MicroTime": "microtime",
    "metav1.Duration": "duration",
    "metav1.FieldsV1": "raw",
    "resource.Quantity": "quantity",
    "intstr.IntOrString": "intorstring",
    "runtime.RawExtension": "raw",
    "JSON": "raw",
    "JSONSchemaPropsOrArray": "schema or list",
    "JSONSchemaPropsOrBool": "schema or bool",
    "JSONSchemaPropsOrStringArray": "schema or strings",
    "types.UID": "string",
    "types.NodeName": "string",
}
_PLAIN = {
    "string": "string",
    "bool": "bool",
    "int32": "int32",
    "int64": "int64",
    "uint32": "uint32",
    "int": "int64",
    "float64": "double",
    "[]byte": "bytes",
}
_STRUCT = re.compile(r"^type (\w+) struct ?\{(?:\}$|\n(.*?)^\})", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"^type (\w+) ((?:\[\]|map\[\w+\])?[\w.]+)$", re.MULTILINE)
_FIELD = re.compile(r'^\s*(?:(\w+)\s+)?(\S+)\s+`json:"([^"]*)"[^`]*?protobuf:"\w+,(\d+),[^`]*`', re.MULTILINE)
_TYPE_META = re.compile(r'^\s*metav1\.TypeMeta\s+`json:",inline"', re.MULTILINE)
#: What objects have in JSON alone: numbers that no field has.
_HEAD = {"-1": ["apiVersion", "string", "o"], "-2": ["kind", "string", "o"]}
_IMPORT = re.compile(r'^\s*(?:(\w+)\s+)?"k8s\.io/(api/([\w/]+)|apimachinery/pkg/apis/meta/v1)"$', re.MULTILINE)


def derive(api: Path, apimachinery: Path, extensions: Path) -> dict[str, dict[str, list[str]]]:
    """By `GROUP/VERSION.Type` and number: JSON name ("" for inlined fields), type, and "o" where zero is left out.

    A negative number: a field that protobuf does not carry.
    """
    folders = {group: api / group for group in _GROUPS}
    folders |= {"meta/v1": apimachinery / _META, "apiextensions/v1": extensions / _EXTENSIONS}
    sources = {
        group: [path.read_text() for path in sorted(folder.glob("*types*.go")) if "generated" not in path.name]
        for group, folder in folders.items()
    }
    structs = {
        f"{group}.{found[1]}" for group, texts in sources.items() for text in texts for found in _STRUCT.finditer(text)
    }
    named = {
        f"{group}.{found[1]}": found[2]
        for group, texts in sources.items()
        for text in texts
        for found in _NAMED.finditer(text)
    }
    table: dict[str, dict[str, list[str]]] = {}
    for group, texts in sources.items():
        for text in texts:
            names = _Names(group, text, structs, named)
            for found in _STRUCT.finditer(text):
                body = found[2] or ""  # a struct may have no fields
                fields = dict(_fields(body, names))
                if fields and _TYPE_META.search(body):
                    fields.update(_HEAD)
                table[f"{group}.{found[1]}"] = fields
    return table


class _Names:
    """What the names of Go types mean in one file."""

    def __init__(self, group: str, text: str, structs: set[str], named: dict[str, str]) -> None:
        self._group = group
        self._structs = structs
        self._named = named
        self._packages = {
            found[1] or found[2].rpartition("/")[2]: found[3] or "meta/v1" for found in _IMPORT.finditer(text)
        }

    def type_of(self, go: str, group: str = "") -> str | None:
        """The type as the table has it; None for what is not carried in protobuf here."""
        go = go.removeprefix("*")
        if go in _PLAIN:
            return _PLAIN[go]
        if go.startswith("[]"):
            return _prefixed("list", self.type_of(go[2:], group))
        if go.startswith("map["):
            return _prefixed("map", self.type_of(go.partition("]")[2], group))
        package, _, name = go.rpartition(".")
        place = self._packages.get(package, "") if package else group or self._group
        special = _SPECIAL.get(f"metav1.{name}" if place == "meta/v1" else go)
        if special is not None:
            return special
        if f"{place}.{name}" in self._structs:
            return f"{place}.{name}"
        meant = self._named.get(f"{place}.{name}")
        return None if meant is None else self.type_of(meant, place)


def _prefixed(prefix: str, inner: str | None) -> str | None:
    return None if inner is None else f"{prefix} {inner}"


def _fields(body: str, names: _Names) -> Iterator[tuple[str, list[str]]]:
    for found in _FIELD.finditer(body):
        go, (name, *options), number = found[2], found[3].split(","), found[4]
        if name == "-":
            continue
        kind = names.type_of(go)
        if kind is None:
            raise ValueError(f"field {name!r}: the Go type {go} is not known here")
        zero_left_out = "omitempty" in options and not go.startswith("*")
        yield number, [name, kind, "o" if zero_left_out else ""]


def main(arguments: list[str]) -> None:
    """Write the table."""
    table = derive(*(Path(one) for one in arguments))
    write_whole(TABLE, orjson.dumps(table, option=orjson.OPT_SORT_KEYS).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

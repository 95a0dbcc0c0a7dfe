"""The structs of Kubernetes' Go packages, read off the source: names, types and tags of their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_META = "meta/v1"
#: Go types that have a special form, in JSON and in protobuf.
_SPECIAL = {
    "metav1.Time": "time",
    "metav1.MicroTime": "microtime",
    "metav1.FieldsV1": "fields",
    "resource.Quantity": "quantity",
    "intstr.IntOrString": "intorstring",
    "runtime.RawExtension": "raw",
    "JSON": "json",
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
_TYPE_META = re.compile(r'^\s*(?:metav1\.)?TypeMeta\s+`json:",inline"', re.MULTILINE)
_IMPORT = re.compile(
    r"^(?:import|\s)\s*(?:(\w+)\s+)?"
    r'"k8s\.io/(?:api/([\w/]+)|apimachinery/pkg/apis/(meta/v1)|[\w-]+/pkg/apis/([\w/]+))"$',
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class GoField:
    """A field: its name in JSON ("" if its struct is inlined), its type as the table has it, its protobuf number.

    `flags`: "o" for omitempty, "p" for a pointer. `go`: what Go calls a type that has a name but is no struct.
    """

    name: str
    type: str
    number: int
    flags: str
    go: str = ""

    @property
    def struct(self) -> str:
        """The struct that is inlined here; "" if none is."""
        return "" if self.name else self.type


#: What objects have in JSON alone: numbers that no field has.
_HEAD = (GoField("kind", "string", -2, "o"), GoField("apiVersion", "string", -1, "o"))


class GoTypes:
    """All structs of some packages: `GROUP/VERSION` and folder of each."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._sources = {
            package: [path.read_text() for path in sorted(folder.glob("*.go")) if _is_source(path)]
            for package, folder in folders.items()
        }
        self._texts = [(package, text) for package, texts in self._sources.items() for text in texts]
        #: By `GROUP/VERSION.Name`, in the order of the source.
        self.structs: dict[str, tuple[GoField, ...]] = {
            name: () for package, text in self._texts for name, _ in _structs(package, text)
        }
        self.named = {
            f"{package}.{found[1]}": found[2] for package, text in self._texts for found in _NAMED.finditer(text)
        }
        for package, text in self._texts:
            names = _Names(package, text, self)
            for name, body in _structs(package, text):
                fields = tuple(_fields(body, names))
                head = _HEAD if fields and _TYPE_META.search(body) else ()
                self.structs[name] = (*head, *fields)

    def flat(self, name: str) -> Iterator[GoField]:
        """The fields of a struct and of those that it inlines."""
        for one in self.structs[name]:
            if one.struct:
                yield from self.flat(one.struct)
            else:
                yield one


class _Names:
    """What the names of Go types mean in one file."""

    def __init__(self, package: str, text: str, types: GoTypes) -> None:
        self._package = package
        self._types = types
        self._packages = {
            found[1] or place.rpartition("/")[2]: place
            for found in _IMPORT.finditer(text)
            for place in [found[2] or found[3] or found[4]]
        }

    def type_of(self, go: str, package: str = "") -> str:
        """The type as the table has it. Raises ValueError for one that is not known here."""
        go = go.removeprefix("*")
        if go in _PLAIN:
            return _PLAIN[go]
        if go.startswith("[]"):
            return f"list {self.type_of(go[2:], package)}"
        if go.startswith("map["):
            return f"map {self.type_of(go.partition(']')[2], package)}"
        place, name = self._place(go, package)
        special = _SPECIAL.get(f"metav1.{name}" if place == _META else go)
        if special is not None:
            return special
        if f"{place}.{name}" in self._types.structs:
            return f"{place}.{name}"
        if f"{place}.{name}" not in self._types.named:
            raise ValueError(f"the Go type {go} is not known here")
        return self.type_of(self._types.named[f"{place}.{name}"], place)

    def go_name(self, go: str) -> str:
        """What Go calls the type, if it has a name that the table's type does not tell; else ""."""
        bare = go.removeprefix("*")
        for prefix in ("[]", "map[string]"):
            if bare.startswith(prefix):
                inner = self.go_name(bare.removeprefix(prefix))
                return prefix + inner if inner else ""
        if bare.startswith("map["):
            key, _, value = bare[4:].partition("]")
            return f"map[{self.go_name(key) or key}]{self.go_name(value) or self._shown(value)}"
        place, name = self._place(bare, "")
        if bare in ("types.UID", "types.NodeName"):
            return bare
        return f"{place.rpartition('/')[2]}.{name}" if f"{place}.{name}" in self._types.named else ""

    def _shown(self, go: str) -> str:
        place, name = self._place(go, "")
        return f"{place.rpartition('/')[2]}.{name}" if f"{place}.{name}" in self._types.structs else go

    def _place(self, go: str, package: str) -> tuple[str, str]:
        alias, _, name = go.rpartition(".")
        return self._packages.get(alias, "") if alias else package or self._package, name


def _structs(package: str, text: str) -> Iterator[tuple[str, str]]:
    """Names and bodies; without types that have a special form."""
    for found in _STRUCT.finditer(text):
        if (f"metav1.{found[1]}" if package == _META else found[1]) not in _SPECIAL:
            yield f"{package}.{found[1]}", found[2] or ""  # a struct may have no fields


def _is_source(path: Path) -> bool:
    return not path.name.endswith("_test.go") and "generated" not in path.name


def _fields(body: str, names: _Names) -> Iterator[GoField]:
    for found in _FIELD.finditer(body):
        go, (name, *options), number = found[2], found[3].split(","), int(found[4])
        if name == "-":
            continue
        flags = ("o" if "omitempty" in options else "") + ("p" if go.startswith("*") else "")
        yield GoField(name, names.type_of(go), number, flags, names.go_name(go))

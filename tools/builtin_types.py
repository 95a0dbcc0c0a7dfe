"""Derives the table of the built-in kinds from upstream: `python -m tools.builtin_types RELEASE`, such as 1.36.3.

Go downloads the modules: k8s.io/kubernetes, for the OpenAPI documents and the discovery documents that it publishes,
and those with the API's types, for what only Go knows of a field: its number in protobuf, whether it is a pointer, and
what its type is called. Both must name the same fields. Only facts are taken, no sentences.

Written are `resources.json` and `types.json` in `harness/lockstep/apiserver/builtin`, which also says what is in them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from lockstep.files import write_whole
from lockstep.implementations.upstream.golang import environment, find_go
from tools.go_types import GoField, GoTypes

FOLDER = Path(__file__).resolve().parents[1] / "harness/lockstep/apiserver/builtin"
_KUBERNETES = "k8s.io/kubernetes"
#: Modules with types, by the folder in which their packages lie, and how OpenAPI calls that.
_MODULES = {
    "k8s.io/api": ("", "io.k8s.api"),
    "k8s.io/apimachinery": ("pkg/apis", "io.k8s.apimachinery.pkg.apis"),
    "k8s.io/apiextensions-apiserver": ("pkg/apis", "io.k8s.apiextensions-apiserver.pkg.apis"),
    "k8s.io/kube-aggregator": ("pkg/apis", "io.k8s.kube-aggregator.pkg.apis"),
}
#: Alpha and beta versions are served on request only.
_VERSIONS = ("v1", "v2")
#: What OpenAPI says of a field, and what the table calls it.
_FACTS = {
    "default": "default",
    "x-kubernetes-list-type": "list",
    "x-kubernetes-list-map-keys": "keys",
    "x-kubernetes-map-type": "map",
    "x-kubernetes-patch-merge-key": "merge",
    "x-kubernetes-patch-strategy": "strategy",
}
Schemas = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Module:
    """A downloaded module."""

    folder: Path
    #: `NAME@VERSION` and the digest that go.sum has.
    provenance: tuple[str, str]


def download(name: str, version: str) -> Module:
    """A module from Go's proxy or cache. Raises CalledProcessError, after Go has said why."""
    found = subprocess.run(  # noqa: S603 - the Go tool
        [find_go().path, "mod", "download", "-json", f"{name}@{version}"],
        env=environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    facts = orjson.loads(found.stdout)
    return Module(Path(facts["Dir"]), (f"{name}@{version}", facts["Sum"]))


def packages(modules: Mapping[str, Module], schemas: Schemas) -> Iterator[tuple[str, Path, str]]:
    """Of each published package: `GROUP/VERSION`, its folder, and the beginning of its types' names in OpenAPI."""
    published = {name.rpartition(".")[0] for name in schemas}
    for name, (inner, prefix) in _MODULES.items():
        root = modules[name].folder / inner
        for folder in sorted(path for version in _VERSIONS for path in root.glob(f"*/{version}")):
            package = folder.relative_to(root)
            named = f"{prefix}.{package.as_posix().replace('/', '.')}"
            if named in published:
                yield package.as_posix(), folder, named


def schemas_in(kubernetes: Path) -> Schemas:
    """All schemas of the published documents, by name."""
    found: dict[str, Mapping[str, Any]] = {}
    for path in sorted((kubernetes / "api/openapi-spec/v3").glob("*_openapi.json")):
        found.update(orjson.loads(path.read_bytes())["components"].get("schemas", {}))
    return found


def types_table(modules: Mapping[str, Module]) -> dict[str, Any]:
    """What `types.json` holds. Raises ValueError where Go and OpenAPI do not agree."""
    schemas = schemas_in(modules[_KUBERNETES].folder)
    places = list(packages(modules, schemas))
    prefixes = {package: prefix for package, _, prefix in places}
    go = GoTypes({package: folder for package, folder, _ in places})
    published = {name: _schema(name, schemas, prefixes) for name in go.structs}
    named = {name for name, schema in published.items() if schema is not None}
    inlined = _inlined(named, go)
    published.update({name: published[outer] for name, outer in inlined.items()})
    atomic = [name for name in sorted(named) if (published[name] or {}).get("x-kubernetes-map-type") == "atomic"]
    for name in sorted(named):
        _check(name, go, (published[name] or {}).get("properties", {}))
    types = {
        name: [_row(one, published[name] or {}) for one in go.structs[name]] for name in sorted(named | set(inlined))
    }
    return {"packages": prefixes, "atomic": atomic, "types": types}


def _schema(name: str, schemas: Schemas, prefixes: Mapping[str, str]) -> Mapping[str, Any] | None:
    package, _, bare = name.partition(".")
    return schemas.get(f"{prefixes[package]}.{bare}")


def _inlined(names: set[str], go: GoTypes) -> dict[str, str]:
    """Types that OpenAPI does not name, since they are inlined into others; each with one of those."""
    found: dict[str, str] = {}
    waiting = [(name, name) for name in sorted(names)]
    while waiting:
        name, outer = waiting.pop(0)
        for one in go.structs[name]:
            if one.struct and one.struct not in names and one.struct not in found:
                found[one.struct] = outer
                waiting.append((one.struct, outer))
    return found


def _check(name: str, go: GoTypes, properties: Mapping[str, Any]) -> None:
    fields = {one.name for one in go.flat(name)}
    if fields != set(properties):
        raise ValueError(f"{name}: Go and OpenAPI differ in {sorted(fields ^ set(properties))}")


def _row(one: GoField, schema: Mapping[str, Any]) -> list[Any]:
    published = (schema.get("properties") or {}).get(one.name, {})
    facts = {name: published[key] for key, name in _FACTS.items() if key in published}
    if one.go:
        facts["go"] = one.go
    if one.name in schema.get("required", ()):
        facts["required"] = True
    return [one.name, one.type, one.number, one.flags, *([facts] if facts else [])]


def resources_table(modules: Mapping[str, Module]) -> list[dict[str, Any]]:
    """What `resources.json` holds: the groups in the order in which discovery lists them, which is that of priority."""
    discovery = orjson.loads((modules[_KUBERNETES].folder / "api/discovery/aggregated_v2.json").read_bytes())
    core = orjson.loads((modules[_KUBERNETES].folder / "api/discovery/api__v1.json").read_bytes())
    rows = [_plain_resource(one, core["resources"]) for one in core["resources"] if "/" not in one["name"]]
    groups = [{"group": "", "version": "v1", "resources": rows}]
    for group in discovery["items"]:
        for version in group["versions"]:
            if version["version"] in _VERSIONS:
                rows = [_resource(one) for one in version["resources"]]
                groups.append({"group": group["metadata"]["name"], "version": version["version"], "resources": rows})
    return groups


def _resource(one: Mapping[str, Any]) -> dict[str, Any]:
    """An APIResourceDiscovery."""
    return _row_of_resource(
        one["responseKind"]["kind"],
        one["resource"],
        namespaced=one["scope"] == "Namespaced",
        source=one,
        subresources={inner["subresource"]: inner for inner in one.get("subresources", ())},
    )


def _plain_resource(one: Mapping[str, Any], all_of_them: list[Mapping[str, Any]]) -> dict[str, Any]:
    """An APIResource of the core group, which has no aggregated document of its own."""
    start = f"{one['name']}/"
    return _row_of_resource(
        one["kind"],
        one["name"],
        namespaced=one["namespaced"],
        source=one,
        subresources={
            other["name"].removeprefix(start): other for other in all_of_them if other["name"].startswith(start)
        },
    )


def _row_of_resource(
    kind: str, plural: str, *, namespaced: bool, source: Mapping[str, Any], subresources: Mapping[str, Any]
) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": kind, "plural": plural, "namespaced": namespaced, "verbs": source["verbs"]}
    for key in ("shortNames", "categories"):
        if source.get(key):
            row[key] = source[key]
    if subresources:
        row["subresources"] = sorted(subresources)
    return row


def main(arguments: list[str]) -> None:
    """Write the table."""
    if len(arguments) != 1:
        sys.exit("usage: python -m tools.builtin_types RELEASE")
    release = arguments[0]
    staging = f"v0.{release.partition('.')[2]}"
    modules = {name: download(name, staging) for name in _MODULES}
    modules[_KUBERNETES] = download(_KUBERNETES, f"v{release}")
    provenance = {"release": release, "modules": dict(one.provenance for one in modules.values())}
    _write("resources.json", {"provenance": provenance, "groups": resources_table(modules)})
    _write("types.json", {"provenance": provenance, **types_table(modules)})


def _write(name: str, content: Mapping[str, Any]) -> None:
    """One line for each type, group or the like, so that a change can be read."""
    parts = []
    for key, value in content.items():
        if isinstance(value, Mapping):
            inner = ",\n".join(f"{_json(one)}:{_json(item)}" for one, item in value.items())
            parts.append(f"{_json(key)}:{{\n{inner}\n}}")
        else:
            inner = ",\n".join(_json(item) for item in value)
            parts.append(f"{_json(key)}:[\n{inner}\n]")
    write_whole(FOLDER / name, "{\n" + ",\n".join(parts) + "\n}\n")


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


if __name__ == "__main__":
    main(sys.argv[1:])

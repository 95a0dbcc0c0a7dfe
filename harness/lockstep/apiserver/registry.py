"""The kinds that a server currently serves."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.apiserver.kinds import BUILT_IN, Kind


class Registry:
    """Looks kinds up by group, version and plural; custom resources come and go."""

    def __init__(self) -> None:
        self._by_path: dict[tuple[str, str, str], Kind] = {}
        self._by_resource: dict[str, Kind] = {}
        #: Increases with every change.
        self.revision = 0
        for kind in BUILT_IN:
            self.add(kind)

    def add(self, kind: Kind) -> None:
        """Serve a kind from now on."""
        self.revision += 1
        self._by_path[kind.group, kind.version, kind.plural] = kind
        self._by_resource.setdefault(kind.resource, kind)

    def remove(self, kind: Kind) -> None:
        """Stop serving a kind."""
        self.revision += 1
        self._by_path.pop((kind.group, kind.version, kind.plural), None)
        self._by_resource.pop(kind.resource, None)

    def find(self, group: str, version: str, plural: str) -> Kind | None:
        """The kind that a path names, or None."""
        return self._by_path.get((group, version, plural))

    def of_resource(self, resource: str) -> Kind | None:
        """The kind of `plural.group`, as in history writes; also of a plural alone if it is unambiguous."""
        kind = self._by_resource.get(resource)
        if kind is None and "." not in resource:
            named = [item for item in self._by_resource.values() if item.plural == resource]
            kind = named[0] if len(named) == 1 else None
        return kind

    def has_group(self, group: str) -> bool:
        """Whether any kind of the group is served."""
        return any(kind.group == group for kind in self)

    def is_built_in(self, group: str) -> bool:
        """Whether the group is built in."""
        return any(kind.group == group and kind.strategic for kind in self)

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_path.values())

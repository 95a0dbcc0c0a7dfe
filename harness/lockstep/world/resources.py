"""The kinds that the cluster serves, as its discovery documents list them."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.world.api import Api


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind. `name` is its plural with its group, as in `Write.resource`."""

    name: str
    api_version: str
    kind: str
    namespaced: bool

    def path(self, namespace: str = "", name: str = "") -> str:
        """The path of the whole collection, of the collection in a namespace, or of one object."""
        root = "/api/" if "/" not in self.api_version else "/apis/"
        scope = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        path = f"{root}{self.api_version}{scope}/{self.name.split('.', 1)[0]}"
        return f"{path}/{name}" if name else path


class Resources:
    """All kinds whose objects can be listed, watched and deleted, except events: they neither own nor are owned."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._kinds: dict[tuple[str, str], Resource] = {}

    def refresh(self) -> None:
        """Read the discovery documents again."""
        self._kinds.clear()
        self._read("/api/v1", "")
        for group in (self._api.get("/apis").body or {}).get("groups", ()):
            self._read(f"/apis/{group['preferredVersion']['groupVersion']}", group["name"])

    def of(self, api_version: str, kind: str) -> Resource | None:
        """The resource of a kind, or None if the cluster does not serve it."""
        return self._kinds.get((api_version, kind))

    def all(self) -> list[Resource]:
        """Every resource, in the order of discovery."""
        return list(self._kinds.values())

    def _read(self, path: str, group: str) -> None:
        document = self._api.ask(path)  # the server behind an aggregated group may be down
        for one in document.get("resources", ()):
            if "/" in one["name"] or one["kind"] == "Event" or not {"list", "watch", "delete"} <= set(one["verbs"]):
                continue
            name = f"{one['name']}.{group}" if group else one["name"]
            key = (document["groupVersion"], one["kind"])
            self._kinds[key] = Resource(name, *key, one["namespaced"])

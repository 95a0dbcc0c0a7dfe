"""The custom resource definitions that controllers under test need, on a cluster that may have them already.

A session adds those that are missing, and removes them at its end unless others have begun to use them.
"""

from __future__ import annotations

from typing import Any

import orjson

from lockstep.clusters.real.connection import ClusterError, Connection
from lockstep.clusters.real.tenant import owner_of
from lockstep.clusters.served import NotServed, collections, wait_until_served
from lockstep.controllers.names import GROUPS
from lockstep.objects.definitions import definitions_for

DEFINITIONS = definitions_for(GROUPS["vpa"])
#: Where definitions are kept.
PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Definitions:
    """The definitions that one session has added to its cluster."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._made: list[dict[str, Any]] = []

    def bring(self) -> None:
        """Add the definitions that are missing, and wait until all kinds are served. Raises ClusterError."""
        for definition in DEFINITIONS:
            answer = self._connection.ask("POST", PATH, body=definition)
            if answer.status == 201:
                self._made.append(definition)
            elif answer.status != 409:
                raise ClusterError(f"{self._connection.host} refused to create {PATH}: {answer.words}")
        try:
            wait_until_served(DEFINITIONS, self._get)
        except NotServed as problem:
            raise ClusterError(f"{self._connection.host}: {problem}") from None

    def remove(self) -> None:
        """Remove what was added, unless there are objects of the kind outside of our tenants' namespaces."""
        for definition in self._made:
            try:
                if not self._is_used(definition):
                    self._connection.request("DELETE", f"{PATH}/{definition['metadata']['name']}", {})
            except ConnectionError:
                return  # the cluster is gone, and the definitions with it
        self._made.clear()

    def _is_used(self, definition: dict[str, Any]) -> bool:
        answer = self._connection.request("GET", next(collections(definition)), {})
        found = orjson.loads(answer.body).get("items", []) if answer.status == 200 else []
        return any(not owner_of(one["metadata"].get("namespace", "")) for one in found)

    def _get(self, path: str) -> tuple[int, str]:
        answer = self._connection.ask("GET", path)
        return answer.status, answer.words

"""Autoscalers (HPA or VPA) in a plan: how they are created, edited and deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lockstep import Cluster
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Action, Stage


@dataclass(frozen=True, slots=True)
class Autoscalers:
    """The steps for one kind of autoscaler.

    `kind` is its name in plans, `resource` the plural, and `named` makes an object with a given name.
    """

    kind: str
    resource: str
    named: Callable[[str], dict[str, Any]]

    def actions(self) -> dict[str, Action]:
        """The steps by name."""
        return {
            f"create-{self.kind}": self._create,
            f"edit-{self.kind}": self._edit,
            f"delete-{self.kind}": self._delete,
            f"recreate-{self.kind}": self._recreate,
        }

    async def new(self, cluster: Cluster, one: dict[str, Any]) -> None:
        """Make one, with a spec in wire form."""
        await cluster.create({**self.named(one["name"]), "spec": one["spec"]})

    async def _create(self, stage: Stage, step: Step) -> None:
        await self.new(stage.cluster, step[self.kind])

    async def _edit(self, stage: Stage, step: Step) -> None:
        """Merge something into its spec."""
        if name := chosen(stage, self.resource, step):
            await stage.cluster.patch(self.resource, name, {"spec": step["spec"]})

    async def _delete(self, stage: Stage, step: Step) -> None:
        if name := chosen(stage, self.resource, step):
            await stage.cluster.delete(self.resource, name)

    async def _recreate(self, stage: Stage, step: Step) -> None:
        """Delete it, and create it again."""
        cluster = stage.cluster
        if name := chosen(stage, self.resource, step):
            spec = cluster.get(self.resource, name)["spec"]
            await cluster.delete(self.resource, name)
            await cluster.run(step["seconds"])
            await self.new(cluster, {"name": name, "spec": spec})


def chosen(stage: Stage, resource: str, step: Step) -> str:
    """The name of one of the existing objects, "" if there are none."""
    found = stage.cluster.list(resource)
    return str(found[step["index"] % len(found)]["metadata"]["name"]) if found else ""

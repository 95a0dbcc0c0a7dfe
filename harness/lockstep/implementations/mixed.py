"""Several implementations in one run, each for its own controllers, in one cluster on one clock.

`upstream,vpa-updater=reference` is upstream with the reference's updater. The first one runs all controllers that are
not named. A run can have only one upstream process, because its bubble moves the clock.
"""
# ruff: noqa: D102 - the protocols in lockstep.implementations say what each method means

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lockstep.controllers.options import Options
    from lockstep.implementations import Controllers, Implementation
    from lockstep.network import Network
    from lockstep.network.calls import CallAnswer
    from lockstep.time.loop import VirtualLoop
    from lockstep.trace.recordings import Provenance


class Mixed:
    """`base` for all controllers but those of `others`, by name.

    `substitute`: whether the others only stand in for controllers that the base does not have. Then a run counts as one
    of the base, and its recordings name those that were started.
    """

    def __init__(
        self, spec: str, base: Implementation, others: Mapping[str, Implementation], *, substitute: bool = False
    ) -> None:
        self.spec = spec
        self._base = base
        self._others = others
        self._substitute = substitute
        #: Controllers that the last run has started: not those that ran earlier in this process.
        self._started: set[str] = set()

    def attach(self, loop: VirtualLoop, network: Network, options: Options, seed: int) -> MixedControllers:
        self._started = set()
        sides: dict[int, Controllers] = {}
        for one in (self._base, *self._others.values()):
            if id(one) not in sides:
                sides[id(one)] = one.attach(loop, network, options, seed)
        others = {name: sides[id(one)] for name, one in self._others.items()}
        return MixedControllers(sides[id(self._base)], others, list(sides.values()), self._started.add)

    def provenance(self, seed: int) -> Provenance:
        """The base's provenance, with those of the others that took part. A mix that the user asked for does not count
        as upstream.
        """
        base = self._base.provenance(seed)
        took_part = [f"{name}: {self._others[name].spec}" for name in sorted(self._started & set(self._others))]
        if not self._substitute:
            return replace(base, implementation=self.spec)
        return replace(base, substitutes=", ".join(took_part))

    def close(self) -> None:
        for one in {id(one): one for one in (self._base, *self._others.values())}.values():
            one.close()


class MixedControllers:
    """The controllers of a mixed run."""

    def __init__(
        self,
        base: Controllers,
        others: Mapping[str, Controllers],
        sides: list[Controllers],
        started: Callable[[str], object],
    ) -> None:
        self._base = base
        self._others = others
        self._sides = sides
        self._started = started

    def _of(self, controller: str) -> Controllers:
        return self._others.get(controller, self._base)

    def start(self, controller: str) -> None:
        self._started(controller)
        self._of(controller).start(controller)

    def crash(self, controller: str) -> None:
        self._of(controller).crash(controller)

    def serve(
        self, controller: str, method: str, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer
    ) -> Callable[[], None]:
        return self._of(controller).serve(controller, method, path, headers, body, answer)

    def end(self) -> None:
        for side in self._sides:
            side.end()

    @property
    def errors(self) -> list[str]:
        return [error for side in self._sides for error in side.errors]

    @property
    def failure(self) -> str | None:
        return next((side.failure for side in self._sides if side.failure), None)

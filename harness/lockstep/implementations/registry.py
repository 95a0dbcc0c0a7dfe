"""Names of implementations: `reference`, `upstream`, `upstream:RELEASE`, `upstream:path=DIR`, and mixes of them.

A mix is `BASE,CONTROLLER=NAME,...`: the base runs all controllers that are not named. Controllers that a release of
upstream does not have come from the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.controllers.names import ACTORS, GROUPS
from lockstep.errors import LockstepError

if TYPE_CHECKING:
    from lockstep.implementations import Implementation

_KNOWN = "reference, upstream, upstream:RELEASE, upstream:path=DIR, or a mix such as upstream,vpa-updater=reference"


class UsageError(LockstepError):
    """The user named something that does not exist. The message is one line."""


def check_spec(spec: str) -> None:
    """Raises UsageError if `spec` is neither an implementation nor a mix."""
    base, others = parse_mix(spec)
    for one in (base, *others.values()):
        parse_spec(one)
    _one_upstream(base, others)


def parse_mix(spec: str) -> tuple[str, Mapping[str, str]]:
    """Split a spec into its base and the others by controller. Raises UsageError on a malformed mix."""
    base, *parts = spec.split(",")
    others: dict[str, str] = {}
    for part in parts:
        controller, is_pair, one = part.partition("=")
        names = GROUPS.get(controller, (controller,))
        if not is_pair or any(name not in ACTORS for name in names):
            raise UsageError(
                f"{spec!r}: {part!r} is not CONTROLLER=NAME; the controllers are {', '.join((*ACTORS, *GROUPS))}"
            )
        others.update(dict.fromkeys(names, one))
    return base, others


def _one_upstream(base: str, others: Mapping[str, str]) -> None:
    named = {one for one in (base, *others.values()) if one != "reference"}
    if len(named) > 1:
        raise UsageError(f"a mix takes one release of upstream, not {' and '.join(sorted(named))}: it moves the clock")


def parse_spec(spec: str) -> tuple[str, str]:
    """Split the name of one implementation into kind and argument. Raises UsageError on an unknown one."""
    kind, _, argument = spec.partition(":")
    if kind == "reference" and not argument:
        return kind, ""
    if kind == "upstream":
        if argument.startswith("path="):
            directory = Path(argument.removeprefix("path=")).expanduser()
            if not (directory / "go.mod").is_file():
                raise UsageError(f"{spec!r}: {directory} is not a Kubernetes checkout (it has no go.mod)")
            return kind, argument
        from lockstep.implementations.upstream.releases import RELEASES

        if argument and argument not in RELEASES:
            raise UsageError(f"unknown upstream release {argument!r}; known: {', '.join(sorted(RELEASES))}")
        return kind, argument
    raise UsageError(f"unknown implementation {spec!r}; known: {_KNOWN}")


def release_of(spec: str) -> str | None:
    """The release that a spec names, for the base or for another controller; None if it names none."""
    base, others = parse_mix(spec)
    for one in (base, *others.values()):
        kind, _, argument = one.partition(":")
        if kind == "upstream" and argument and not argument.startswith("path="):
            return argument
    return None


def takes_part(kind: str, spec: str) -> bool:
    """Whether `spec` uses an implementation of this kind, "reference" or "upstream"."""
    base, others = parse_mix(spec)
    return any(one.partition(":")[0] == kind for one in (base, *others.values()))


def lacking(spec: str, release: str) -> frozenset[str]:
    """Controllers that upstream lacks although `spec` names it for them. `release`: the default one."""
    if not takes_part("upstream", spec):
        return frozenset()
    from lockstep.implementations.upstream.releases import parse

    base, others = parse_mix(spec)
    missing = set()
    for controller in ACTORS:
        kind, argument = parse_spec(others.get(controller, base))
        if kind == "upstream" and controller not in parse(argument or release).controllers:
            missing.add(controller)
    return frozenset(missing)


def open_implementation(spec: str, release: str, progress: Callable[[str], None]) -> Implementation:
    """Prepare an implementation to run. Upstream is built first if necessary, with `progress` lines."""
    base, others = parse_mix(spec)
    _one_upstream(base, others)
    missing = lacking(spec, release)
    if not others and not missing:
        return _open(base, release, progress)
    from lockstep.implementations.mixed import Mixed

    named = {**others, **dict.fromkeys(missing, "reference")}
    sides = {one: _open(one, release, progress) for one in sorted({base, *named.values()})}
    return Mixed(spec, sides[base], {name: sides[one] for name, one in named.items()}, substitute=not others)


def _open(spec: str, release: str, progress: Callable[[str], None]) -> Implementation:
    kind, argument = parse_spec(spec)
    if kind == "reference":
        from lockstep.implementations.reference import Reference

        return Reference()
    from lockstep.implementations.upstream.implementation import Upstream

    return Upstream(spec, argument or release, progress)

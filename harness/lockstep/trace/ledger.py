"""The ledger of known differences: a file `divergences.yaml` with a list of entries such as

- id: KD-001 title: status.terminatingReplicas is new in 1.35 class: release-difference      # upstream-bug | deliberate
  | unspecified | release-difference controller: replicaset releases: ["<1.35"]            # of the expected side;
  "1.34.4" or comparisons such as ">=1.34,<1.36" against: upstream link: https://github.com/... explanation: Older
  releases do not count terminating pods. match:                         # globs (* and ?); a difference that matches
  any of the patterns is explained
- {path: status.terminatingReplicas} scenarios: [replicaset/scale-down]

If a pattern must be wide, `scenarios` is a mapping from each id to the fingerprint of all differences that the entry
explains there: {replicaset/scale-down: 1f0c6c2a9b7e}. A failing run prints the fingerprint that it found.

It is strict both ways. A difference is explained only in the scenarios that an entry lists. A listed scenario that no
longer shows its difference, or shows another one, is an error too. So the ledger can neither hide a new difference nor
go stale.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from lockstep.errors import LockstepError
from lockstep.trace.difference import FAILED_ASSERTION, KINDS, Comparison, Difference
from lockstep.trace.values import digest, matches
from lockstep.trace.wording import show

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

CLASSES = ("upstream-bug", "deliberate", "unspecified", "release-difference")
_TEXTS = ("id", "title", "class", "controller", "against", "link", "explanation")
_PATTERN_FIELDS = ("kind", "object", "path", "left", "right")
#: The prefix of the VPA's own releases.
_ALONE = "vpa-"
_COMPARISON = re.compile(r"(<=|>=|<|>|==)?((?:vpa-)?\d+(?:\.\d+){0,2})")

#: The safe loader that libyaml makes eight times as fast, where PyYAML was built with it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class LedgerError(LockstepError):
    """The ledger cannot be used; the message names the file, the entry, the reason and what to do."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Globs on the fields of a difference; an absent field matches everything."""

    globs: tuple[tuple[str, str], ...]

    def fits(self, difference: Difference) -> bool:
        """Whether the pattern explains the difference."""
        return all(matches(glob, show(getattr(difference, name))) for name, glob in self.globs)


@dataclass(frozen=True, slots=True)
class Entry:
    """One known difference; see the module docstring for its fields."""

    id: str
    title: str
    kind: str
    controller: str
    against: str
    link: str
    explanation: str
    releases: tuple[str, ...]
    match: tuple[Pattern, ...]
    #: The scenarios that show it, each with the fingerprint of the differences explained there, or "".
    scenarios: Mapping[str, str]

    @property
    def about_assertions(self) -> bool:
        """Whether the entry is about assertions that a release fails, and not about traces."""
        return all(("kind", FAILED_ASSERTION) in pattern.globs for pattern in self.match)

    def covers(self, scenario_id: str, release: str) -> bool:
        """Whether the scenario must show this difference when it is compared with that release."""
        return scenario_id in self.scenarios and any(in_range(release, one) for one in self.releases)


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison after the ledger has removed known differences."""

    #: Differences that no entry explains, in order.
    remaining: tuple[Difference, ...]
    #: Ids of the entries that explain at least one difference.
    explained: tuple[str, ...]
    #: Ids of the entries whose difference is expected but gone.
    stale: tuple[str, ...]
    comparison: Comparison
    #: Entries whose fingerprint has changed, with the new one.
    changed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """All entries, in the order of the file."""

    entries: tuple[Entry, ...] = ()
    source: str = "the ledger"

    @classmethod
    def load(cls, path: Path | str) -> Ledger:
        """Read a ledger. An absent file is an empty ledger. Raises LedgerError."""
        path = Path(path)
        source = f"{path.parent.name}/{path.name}"
        if not path.exists():
            return cls((), source)
        try:
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - a safe loader, in C
        except OSError as error:
            raise LedgerError(f"{source} cannot be read: {error.strerror}; restore it from version control") from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split())
            raise LedgerError(f"{source} is no readable YAML: {reason}; correct it") from None
        if not isinstance(data or [], list):
            raise LedgerError(f"{source} must be a list of entries; put `- ` before the id of each")
        entries = [_entry(source, number, item) for number, item in enumerate(data or [], start=1)]
        _refuse_duplicates(source, entries)
        return cls(tuple(entries), source)

    def judge(self, scenario_id: str, release: str, applies: bool, comparison: Comparison) -> Judged:
        """Remove known differences from a comparison.

        `release`: the one that the scenario is compared with. `applies`: whether the reference is compared with
        upstream, which is what the ledger is about. If not, nothing is explained and nothing is stale.
        """
        entries = [
            one for one in self.entries if applies and not one.about_assertions and one.covers(scenario_id, release)
        ]
        return _judge(entries, scenario_id, comparison)

    def judge_assertions(self, scenario_id: str, release: str, comparison: Comparison) -> Judged:
        """The same for assertions of a scenario that upstream `release` fails (kind "failed assertion")."""
        entries = [one for one in self.entries if one.about_assertions and one.covers(scenario_id, release)]
        return _judge(entries, scenario_id, comparison)

    def require_known(self, scenario_ids: Collection[str]) -> None:
        """On a full run: every scenario that an entry lists must exist. Raises LedgerError."""
        for entry in self.entries:
            for scenario in entry.scenarios:
                if scenario not in scenario_ids:
                    raise LedgerError(
                        f"{self.source}, entry {entry.id}: there is no scenario {scenario!r}; "
                        "correct its id or take it out of the entry"
                    )


def fingerprint(differences: Iterable[Difference]) -> str:
    """A short digest that identifies a set of differences."""
    return digest([difference.line() for difference in differences])[:12]


def _judge(entries: list[Entry], scenario_id: str, comparison: Comparison) -> Judged:
    explained: dict[str, list[Difference]] = {one.id: [] for one in entries}
    unexplained: list[Difference] = []
    for difference in comparison.differences:
        # The first entry that matches takes it: narrow ones stand before wide ones.
        entry = next((one for one in entries if any(pattern.fits(difference) for pattern in one.match)), None)
        (unexplained if entry is None else explained[entry.id]).append(difference)
    found = {
        one.id: fingerprint(explained[one.id]) for one in entries if explained[one.id] and one.scenarios[scenario_id]
    }
    changed = {
        one.id: found[one.id] for one in entries if found.get(one.id, "") not in ("", one.scenarios[scenario_id])
    }
    for entry_id in changed:
        unexplained += explained[entry_id]
    return Judged(
        tuple(one for one in comparison.differences if one in unexplained) if changed else tuple(unexplained),
        tuple(one.id for one in entries if explained[one.id] and one.id not in changed),
        tuple(one.id for one in entries if not explained[one.id]),
        comparison,
        tuple(changed.items()),
    )


def in_range(release: str, expression: str) -> bool:
    """Whether a release such as "1.34.4" satisfies all comparisons of an expression such as ">=1.34,<1.36".

    Releases of the VPA alone ("vpa-1.8.1") and those of Kubernetes satisfy no comparison with one another.
    """
    return all(_satisfies(release, part.strip()) for part in expression.split(","))


def _satisfies(release: str, comparison: str) -> bool:
    found = _COMPARISON.fullmatch(comparison)
    if found is None:
        raise ValueError(f"{comparison!r} is neither a release nor a comparison such as '<1.36'")
    if release.startswith(_ALONE) != found[2].startswith(_ALONE):
        return False
    mine, bound = _version(release), _version(found[2])
    match found[1]:
        case "<":
            return mine < bound
        case "<=":
            return mine <= bound
        case ">":
            return mine > bound
        case ">=":
            return mine >= bound
    return mine == bound


def _version(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.removeprefix(_ALONE).split(".")]
    return tuple(numbers + [0] * (3 - len(numbers)))


# -- validation --------------------------------------------------------------------------------------------------------


def _entry(source: str, number: int, data: Any) -> Entry:
    name = data.get("id") if isinstance(data, dict) else None
    where = f"{source}, entry {name or f'number {number}'}"
    try:
        return _parse(data)
    except ValueError as error:
        raise LedgerError(f"{where}: {error}") from None


def _parse(data: Any) -> Entry:
    if not isinstance(data, dict):
        raise ValueError("it must be a mapping with at least an id")  # noqa: TRY004 - one kind of error for bad data
    known = {*_TEXTS, "releases", "match", "scenarios"}
    for name in data:
        if name not in known:
            raise ValueError(f"unknown field {name!r}; known: {', '.join(sorted(known))}")
    texts = {name: data.get(name) for name in _TEXTS}
    for name, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"the field {name!r} must be there and hold text")
    if texts["class"] not in CLASSES:
        raise ValueError(f"unknown class {texts['class']!r}; use one of {', '.join(CLASSES)}")
    releases = _strings(data, "releases")
    for expression in releases:
        in_range("0", expression)
    return Entry(
        kind=str(texts.pop("class")),
        **{name: str(text) for name, text in texts.items()},
        releases=releases,
        match=_patterns(data.get("match")),
        scenarios=_scenarios(data),
    )


def _scenarios(data: dict[str, Any]) -> dict[str, str]:
    listed = data.get("scenarios")
    if isinstance(listed, dict) and listed:
        if not all(isinstance(key, str) and isinstance(value, str) for key, value in listed.items()):
            raise ValueError("the field 'scenarios' must map ids to fingerprints in quotes")
        return dict(listed)
    return dict.fromkeys(_strings(data, "scenarios"), "")


def _strings(data: dict[str, Any], name: str) -> tuple[str, ...]:
    values = data.get(name)
    if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
        raise ValueError(f"the field {name!r} must be a list of texts and not be empty (quote numbers)")
    return tuple(values)


def _patterns(data: Any) -> tuple[Pattern, ...]:
    patterns = [data] if isinstance(data, dict) else data
    if not isinstance(patterns, list) or not patterns:
        raise ValueError("the field 'match' must hold at least one pattern")
    return tuple(_pattern(one) for one in patterns)


def _pattern(data: Any) -> Pattern:
    if not isinstance(data, dict) or not data:
        raise ValueError(f"a pattern is a mapping of some of {', '.join(_PATTERN_FIELDS)} to globs")
    for name in data:
        if name not in _PATTERN_FIELDS:
            raise ValueError(f"unknown field {name!r} in a pattern; known: {', '.join(_PATTERN_FIELDS)}")
    globs = tuple((name, _text(value)) for name, value in sorted(data.items()))
    kind = dict(globs).get("kind", "*")
    if not any(matches(kind, known) for known in KINDS):
        raise ValueError(f"no difference is of kind {kind!r}; kinds: {', '.join(KINDS)}")
    return Pattern(globs)


def _text(value: Any) -> str:
    """A glob as written; YAML's numbers and booleans in the form of the differences."""
    return value if isinstance(value, str) else show(value)


def _refuse_duplicates(source: str, entries: Iterable[Entry]) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.id in seen:
            raise LedgerError(f"{source}: two entries have the id {entry.id}; give one of them another id")
        seen.add(entry.id)

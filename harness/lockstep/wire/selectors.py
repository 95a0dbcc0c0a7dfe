"""Label selectors (apimachinery pkg/labels/selector.go, apis/meta/v1/helpers.go).

`selector_parser` reads their text form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lockstep.wire.gotext import json_list, quote
from lockstep.wire.names import label_value, qualified_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
_SYMBOLS = {"gt": ">", "lt": "<"}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_INT64 = range(-(2**63), 2**63)


#: Key, operator and values of one of a LabelSelector's matchExpressions.
_Expression = tuple[str, str, tuple[str, ...]]
#: The labels of an object, in a hashable form.
LabelSet = frozenset[tuple[str, str]]


class InvalidSelector(ValueError):
    """An invalid label selector; the message is upstream's."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on one label. `operator` is one of `=`, `==`, `!=`, `in`, `notin`, `exists`, `!`, `gt` and `lt`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """A missing label fulfils `notin`, `!=` and `!`, and nothing else."""
        value = labels.get(self.key)
        operator = self.operator
        if operator == "exists":
            return value is not None
        if operator == "!":
            return value is None
        if operator in ("notin", "!="):
            return value is None or value not in self.values
        if operator in ("gt", "lt"):
            number, bound = _int64(value or ""), _int64(self.values[0])
            if number is None or bound is None:
                return False
            return number > bound if operator == "gt" else number < bound
        return value is not None and value in self.values

    def __str__(self) -> str:
        if self.operator == "exists":
            return self.key
        if self.operator == "!":
            return f"!{self.key}"
        if self.operator in ("in", "notin"):
            return f"{self.key} {self.operator} ({','.join(sorted(self.values))})"
        return f"{self.key}{_SYMBOLS.get(self.operator, self.operator)}{self.values[0]}"


@dataclass(frozen=True, slots=True)
class Selector:
    """All of its requirements must hold. Without any it matches everything, unless `nothing` is set."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False
    #: The text form, as requests carry it.
    text: str = field(init=False, compare=False)
    #: The usual requirements, and all others, separate for speed: every pod is checked here.
    _equal: tuple[tuple[str, str], ...] = field(init=False, compare=False, repr=False)
    _others: tuple[Requirement, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        equal = [one for one in self.requirements if one.operator in ("=", "==")]
        object.__setattr__(self, "text", ",".join(map(str, self.requirements)))
        object.__setattr__(self, "_equal", tuple((one.key, one.values[0]) for one in equal))
        object.__setattr__(self, "_others", tuple(one for one in self.requirements if one not in equal))

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Whether an object with these labels (None: without labels) is selected."""
        if self.nothing:
            return False
        present: Mapping[str, str] = labels or {}
        for key, value in self._equal:
            if present.get(key) != value:
                return False
        for one in self._others:  # noqa: SIM110 - a generator would take longer than the few comparisons
            if not one.matches(present):
                return False
        return True

    def empty(self) -> bool:
        """Whether it does not restrict anything."""
        return not self.nothing and not self.requirements

    def __str__(self) -> str:
        return self.text


NOTHING = Selector(nothing=True)


def selects(label_selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a LabelSelector object selects the labels; a malformed one selects nothing."""
    try:
        return selector_from(label_selector).matches(labels)
    except InvalidSelector:
        return False


class Matcher(dict[LabelSet, bool]):
    """A selector that remembers its answers: most objects of one owner have the same labels.

    `matcher[label_set]` costs one look-up where `Selector.matches` costs a loop.
    """

    def __init__(self, selector: Selector) -> None:
        super().__init__()
        self._selector = selector

    def __missing__(self, label_set: LabelSet) -> bool:
        answer = self[label_set] = self._selector.matches(dict(label_set))
        return answer


def selector_from(label_selector: Mapping[str, Any] | None) -> Selector:
    """The selector of a LabelSelector object (LabelSelectorAsSelector): null selects nothing, `{}` everything.

    Raises InvalidSelector.
    """
    if label_selector is None:
        return NOTHING
    expressions = tuple(
        (expression.get("key") or "", expression.get("operator") or "", tuple(expression.get("values") or ()))
        for expression in label_selector.get("matchExpressions") or ()
    )
    return _selector(tuple((label_selector.get("matchLabels") or {}).items()), expressions)


@lru_cache(maxsize=1024)
def _selector(match_labels: tuple[tuple[str, str], ...], expressions: tuple[_Expression, ...]) -> Selector:
    requirements = [requirement(key, "=", (value,)) for key, value in match_labels]
    for key, wanted, values in expressions:
        operator = _OPERATORS.get(wanted)
        if operator is None:
            raise InvalidSelector(f"{quote(wanted)} is not a valid label selector operator")
        requirements.append(requirement(key, operator, values))
    return sorted_selector(requirements)


def sorted_selector(requirements: Sequence[Requirement]) -> Selector:
    """The selector of these requirements, in order of their keys."""
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


def requirement(key: str, operator: str, values: Sequence[str]) -> Requirement:
    """A checked requirement (NewRequirement). Raises InvalidSelector."""
    problems = []
    if wrong := qualified_name(key):
        problems.append(f"key: Invalid value: {quote(key)}: {'; '.join(wrong)}")
    problems += _wrong_values(operator, values)
    for index, value in enumerate(values):
        if wrong := label_value(value):
            problems.append(f"values[{index}][{key}]: Invalid value: {quote(value)}: {'; '.join(wrong)}")
    if problems:
        raise InvalidSelector(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    return Requirement(key, operator, tuple(values))


def _wrong_values(operator: str, values: Sequence[str]) -> list[str]:
    """Too many or too few values for the operator, or values that are not numbers."""
    rule = ""
    if operator in ("in", "notin"):
        rule = "" if values else "for 'in', 'notin' operators, values set can't be empty"
    elif operator in ("exists", "!"):
        rule = "values set must be empty for exists and does not exist" if values else ""
    elif operator in ("gt", "lt"):
        return [
            f"values[{index}]: Invalid value: {quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer"
            for index, value in enumerate(values)
            if _int64(value) is None
        ]
    return [f"values: Invalid value: {json_list(values)}: {rule}"] if rule else []


def _int64(text: str) -> int | None:
    """strconv.ParseInt(text, 10, 64), or None."""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if number in _INT64 else None

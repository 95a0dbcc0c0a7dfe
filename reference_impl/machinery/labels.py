"""Label selectors (apimachinery pkg/labels/selector.go, apis/meta/v1/helpers.go)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_KEY_RULE = "must be a name of at most 63 characters, optionally behind a DNS subdomain and '/'"
_VALUE_RULE = "must be empty, or at most 63 alphanumeric characters, '-', '_' or '.', alphanumeric at both ends"
_MAX_NAME = 63
_MAX_PREFIX = 253
_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}


#: Key, operator and values of one of a LabelSelector's matchExpressions.
_Expression = tuple[str, str, tuple[str, ...]]
#: The labels of an object, as something that can be looked up.
LabelSet = frozenset[tuple[str, str]]


class InvalidSelector(ValueError):
    """A label selector that cannot match anything: the text says which part is wrong, and why."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on one label. `operator` is one of `=`, `in`, `notin`, `exists` and `!`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """A missing label fulfils `notin` and `!`, and nothing else."""
        value = labels.get(self.key)
        if self.operator == "exists":
            return value is not None
        if self.operator == "!":
            return value is None
        if self.operator == "notin":
            return value is None or value not in self.values
        return value is not None and value in self.values

    def __str__(self) -> str:
        if self.operator == "exists":
            return self.key
        if self.operator == "!":
            return f"!{self.key}"
        if self.operator == "=":
            return f"{self.key}={self.values[0]}"
        return f"{self.key} {self.operator} ({','.join(sorted(self.values))})"


@dataclass(frozen=True, slots=True)
class Selector:
    """All of its requirements must hold. Without any it matches everything, unless `nothing` is set."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Whether an object with these labels (None: without labels) is selected."""
        if self.nothing:
            return False
        present: Mapping[str, str] = labels or {}
        return all(requirement.matches(present) for requirement in self.requirements)

    def empty(self) -> bool:
        """Whether it does not restrict anything."""
        return not self.nothing and not self.requirements

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


NOTHING = Selector(nothing=True)


class Matcher(dict[LabelSet, bool]):
    """A selector that remembers its answers: most objects of one owner carry the same labels.

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
    requirements = [_requirement(key, "=", (value,)) for key, value in match_labels]
    for key, name, values in expressions:
        operator = _OPERATORS.get(name)
        if operator is None:
            raise InvalidSelector(f'"{name}" is not a valid label selector operator')
        requirements.append(_requirement(key, operator, values))
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


def _requirement(key: str, operator: str, values: Sequence[str]) -> Requirement:
    """A checked requirement (NewRequirement)."""
    problems = [*_key_problems(key)]
    if operator in ("in", "notin") and not values:
        problems.append("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty")
    if operator in ("exists", "!") and values:
        problems.append("values: Invalid value: values set must be empty for exists and does not exist")
    for index, value in enumerate(values):
        if not valid_value(value):
            problems.append(f'values[{index}][{key}]: Invalid value: "{value}": {_VALUE_RULE}')
    if problems:
        raise InvalidSelector(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    return Requirement(key, operator, tuple(values))


@lru_cache(maxsize=1024)
def _key_problems(key: str) -> tuple[str, ...]:
    prefix, slash, name = key.rpartition("/")
    prefix_fits = not slash or (len(prefix) <= _MAX_PREFIX and _SUBDOMAIN.fullmatch(prefix) is not None)
    if prefix_fits and len(name) <= _MAX_NAME and _NAME.fullmatch(name):
        return ()
    return (f'key: Invalid value: "{key}": {_KEY_RULE}',)


@lru_cache(maxsize=1024)
def valid_value(value: str) -> bool:
    """Whether `value` may be the value of a label (validation.IsValidLabelValue)."""
    return value == "" or (len(value) <= _MAX_NAME and _NAME.fullmatch(value) is not None)

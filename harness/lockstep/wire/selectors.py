"""Label selectors in object form (metav1.LabelSelector), as predicates over labels.

The query grammar, which only the API server reads, stands in `lockstep.apiserver.selectors`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Labels = Mapping[str, str]
Matcher = Callable[[Labels], bool]


def _nothing(labels: Labels) -> bool:
    return False


def everything(labels: Labels) -> bool:
    """Match any labels."""
    return True


def requirement(key: str, operator: str, values: tuple[str, ...]) -> Matcher:
    """One term; operators are those of LabelSelectorRequirement plus Gt and Lt. Raises ValueError on others."""
    wanted = frozenset(values)
    if operator == "In":
        return lambda labels: labels.get(key) in wanted
    if operator == "NotIn":
        return lambda labels: labels.get(key) not in wanted
    if operator == "Exists":
        return lambda labels: key in labels
    if operator == "DoesNotExist":
        return lambda labels: key not in labels
    if operator in ("Gt", "Lt"):
        limit = int(values[0])
        return lambda labels: _compares(labels.get(key), operator, limit)
    raise ValueError(f"{operator!r} is not a valid label selector operator")


def _compares(value: str | None, operator: str, limit: int) -> bool:
    try:
        number = int(value or "")
    except ValueError:
        return False
    return number > limit if operator == "Gt" else number < limit


def conjunction(terms: list[Matcher]) -> Matcher:
    """Match what all terms match; without any, everything."""
    if not terms:
        return everything
    if len(terms) == 1:
        return terms[0]
    return lambda labels: all(term(labels) for term in terms)


def from_object(selector: Mapping[str, Any] | None) -> Matcher:
    """The matcher of a metav1.LabelSelector: null matches nothing, empty everything (LabelSelectorAsSelector).

    Raises ValueError on an unknown operator or a wrong number of values.
    """
    if selector is None:
        return _nothing
    terms = [requirement(key, "In", (value,)) for key, value in (selector.get("matchLabels") or {}).items()]
    for expression in selector.get("matchExpressions") or ():
        operator, values = expression.get("operator", ""), tuple(expression.get("values") or ())
        if operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
            raise ValueError(f"{operator!r} is not a valid label selector operator")
        if bool(values) != (operator in ("In", "NotIn")):
            raise ValueError(f"values of operator {operator} must {'not be empty' if not values else 'be empty'}")
        terms.append(requirement(expression.get("key", ""), operator, values))
    return conjunction(terms)


def selects(selector: Mapping[str, Any] | None, labels: Labels) -> bool:
    """Whether a metav1.LabelSelector selects the labels; one that is malformed selects nothing."""
    try:
        return from_object(selector)(labels)
    except ValueError:
        return False

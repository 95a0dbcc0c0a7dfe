"""The supported part of PromQL: `metric{label="value"}`, with a range behind it, and `rate(...)` of that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lockstep.prometheus.series import NAME

_WHAT = re.compile(r"\s*(?:(rate)\s*\(\s*(.*?)\s*\)|(.*?))\s*", re.DOTALL)
_SELECTOR = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*(?:\{(.*)\})?\s*(?:\[\s*([0-9a-z]+)\s*\])?", re.DOTALL)
_MATCHER = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(,|$)', re.DOTALL)
_DURATION = re.compile(
    r"(?:([0-9]+)y)?(?:([0-9]+)w)?(?:([0-9]+)d)?(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?(?:([0-9]+)ms)?"
)
_UNITS = (31_536_000_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1000, 1)
_ESCAPES = re.compile(r"\\(.)", re.DOTALL)


class BadQuery(ValueError):
    """A query that is wrong, or uses more of PromQL than is supported."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A condition on one label; a label that is missing counts as empty."""

    label: str
    operator: str
    value: str

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the condition holds. Regular expressions match the whole value."""
        found = labels.get(self.label, "")
        if self.operator in ("=", "!="):
            return (found == self.value) == (self.operator == "=")
        return (re.fullmatch(self.value, found) is not None) == (self.operator == "=~")


@dataclass(frozen=True, slots=True)
class Query:
    """A selector; `range` in milliseconds, 0 for none; with `rate`, how fast a counter rises in that range."""

    matchers: tuple[Matcher, ...]
    range: int
    rate: bool

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Whether the query selects a series with these labels."""
        return all(one.matches(labels) for one in self.matchers)


def parse(text: str) -> Query:
    """Parse a query. Raises BadQuery."""
    whole = _WHAT.fullmatch(text)
    inner = (whole[2] or whole[3] or "") if whole else ""
    found = _SELECTOR.fullmatch(inner.strip())
    if whole is None or found is None or not (found[1] or found[2]):
        raise BadQuery(
            f'{text!r} is not supported: write metric{{label="value"}}, metric{{...}}[1h] or rate(...) of that'
        )
    named = (Matcher(NAME, "=", found[1]),) if found[1] else ()
    rate, range_ = whole[1] is not None, parse_duration(found[3]) if found[3] else 0
    if rate and not range_:
        raise BadQuery('expected type range vector in call to function "rate", got instant vector')
    return Query(named + _matchers(found[2] or ""), range_, rate)


def _matchers(text: str) -> tuple[Matcher, ...]:
    matchers, position = [], 0
    while position < len(text) and text[position:].strip():
        match = _MATCHER.match(text, position)
        if match is None:
            raise BadQuery(f"unexpected text in label matching: {text[position:]!r}")
        value = _ESCAPES.sub(r"\1", match[3])
        if "~" in match[2]:
            _check_expression(value)
        matchers.append(Matcher(match[1], match[2], value))
        position = match.end()
    return tuple(matchers)


def _check_expression(text: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise BadQuery(f"error parsing regexp: {error}") from None


def parse_duration(text: str) -> int:
    """Milliseconds of a duration such as 1h30m. Raises BadQuery."""
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        raise BadQuery(f"not a valid duration string: {text!r}")
    return sum(int(number or 0) * unit for number, unit in zip(match.groups(), _UNITS, strict=True))

"""Rules of `x-kubernetes-validations`: the part of CEL that compares strings and checks the presence of fields.

Supported are `self` with field names, string, integer and bool literals, `has(...)`, `==`, `!=`, `!`, `&&`, `||` and
parentheses. Upstream compiles all of CEL (apiextensions-apiserver/pkg/apiserver/schema/cel).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(r"\s*(?:('[^'\\]*'|\"[^\"\\]*\")|(-?\d+)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|(==|!=|&&|\|\||[!()]))")
#: Computes a part of a rule for the value that `self` stands for. Raises KeyError if a field is missing.
Expression = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition on a value, and the message if it does not hold."""

    holds: Expression
    message: str


def compile_rule(rule: Mapping[str, Any]) -> Rule:
    """Compile a rule of a definition. Raises ValueError if it is not supported."""
    text = rule["rule"]
    return Rule(_Parser(text).parse(), rule.get("message") or f"failed rule: {text}")


class _Parser:
    """Recursive descent over the tokens of one rule."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[str] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise self._unknown()
            self._tokens.append(found[0].strip())
            at = found.end()

    def parse(self) -> Expression:
        expression = self._any_of()
        if self._tokens:
            raise self._unknown()
        return expression

    def _unknown(self) -> ValueError:
        return ValueError(f"the rule {self._text!r} is not supported by the simulated API server")

    def _take(self, *wanted: str) -> str:
        if self._tokens and self._tokens[0] in wanted:
            return self._tokens.pop(0)
        return ""

    def _any_of(self) -> Expression:
        parts = [self._all_of()]
        while self._take("||"):
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else lambda value: any(part(value) for part in parts)

    def _all_of(self) -> Expression:
        parts = [self._comparison()]
        while self._take("&&"):
            parts.append(self._comparison())
        return parts[0] if len(parts) == 1 else lambda value: all(part(value) for part in parts)

    def _comparison(self) -> Expression:
        left = self._operand()
        sign = self._take("==", "!=")
        if not sign:
            return left
        right = self._operand()
        if sign == "==":
            return lambda value: left(value) == right(value)
        return lambda value: left(value) != right(value)

    def _operand(self) -> Expression:
        if self._take("!"):
            inner = self._operand()
            return lambda value: not inner(value)
        if self._take("("):
            inner = self._any_of()
            self._close()
            return inner
        if not self._tokens:
            raise self._unknown()
        return self._atom(self._tokens.pop(0))

    def _atom(self, word: str) -> Expression:
        if word[0] in "'\"":
            return lambda _: word[1:-1]
        if word in ("true", "false"):
            return lambda _: word == "true"
        if word == "has" and self._take("("):
            path = self._path(self._tokens.pop(0) if self._tokens else "")
            self._close()
            return lambda value: path[-1] in _at(value, path[:-1])
        if word.lstrip("-").isdecimal():
            return lambda _: int(word)
        path = self._path(word)
        return lambda value: _at(value, path)

    def _path(self, word: str) -> list[str]:
        head, *rest = word.split(".")
        if head != "self":
            raise self._unknown()
        return rest

    def _close(self) -> None:
        if not self._take(")"):
            raise self._unknown()


def _at(value: Any, path: list[str]) -> Any:
    for name in path:
        value = value[name]
    return value

"""The grammar of label selectors in a query (apimachinery/pkg/labels/selector.go), with the parser's own complaints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lockstep.apiserver import errors
from lockstep.apiserver.errors import FieldError, bad_request
from lockstep.apiserver.validation import names

_SYMBOLS = frozenset({")", ",", "!", "==", "=", ">", "<", "!=", "("})
_SPECIAL = frozenset("=!(),><")
_SPACE = frozenset(" \t\r\n")
_END, _WORD = "", "word"
_INTEGER = re.compile(r"[+-]?[0-9]+")
_IDENTIFIER = frozenset({_WORD, "in", "notin"})
#: What the parser lists where it wants an operator.
_OPERATORS = "in, notin, =, ==, !=, gt, lt"
_ORDERING = frozenset({">", "<"})


@dataclass(frozen=True, slots=True)
class Term:
    """One requirement. `operator`: "in", "notin", "=", "==", "!=", ">", "<", "exists" or "!"; `values` are sorted."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@lru_cache(maxsize=1024)
def parse_terms(text: str) -> tuple[Term, ...]:
    """The requirements of a selector, sorted by key. Raises ApiError 400 on what is none."""
    try:
        found = _Parser(text).terms()
    except ValueError as problem:
        raise bad_request(str(problem)) from None
    return tuple(sorted(found, key=lambda term: term.key))


def _tokens(text: str) -> list[tuple[str, str]]:
    """(kind, literal): a symbol is its own kind."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        if text[at] in _SPACE:
            at += 1
            continue
        start = at
        if text[at] in _SPECIAL:
            at += 2 if text[at : at + 2] in _SYMBOLS else 1
            found.append((text[start:at], text[start:at]))
            continue
        while at < len(text) and text[at] not in _SPECIAL and text[at] not in _SPACE:
            at += 1
        word = text[start:at]
        found.append((word if word in ("in", "notin") else _WORD, word))
    return [*found, (_END, "")]


class _Parser:
    """Raises ValueError with the complaint."""

    def __init__(self, text: str) -> None:
        self._left = _tokens(text)
        self._at = 0

    def _peek(self) -> tuple[str, str]:
        """The next token where a word is as good as a keyword."""
        kind, literal = self._left[self._at]
        return (_WORD if kind in _IDENTIFIER else kind), literal

    def _take(self) -> tuple[str, str]:
        found = self._peek()
        self._at += 1
        return found

    def terms(self) -> list[Term]:
        """All of them."""
        found: list[Term] = []
        while True:
            kind, literal = self._peek()
            if kind == _END:
                return found
            if kind not in (_WORD, "!"):
                raise ValueError(f"found '{literal}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self._term())
            except ValueError as problem:
                raise ValueError(f"unable to parse requirement: {problem}") from None
            kind, literal = self._take()
            if kind == _END:
                return found
            if kind != ",":
                raise ValueError(f"found '{literal}', expected: ',' or 'end of string'")
            kind, literal = self._peek()
            if kind not in (_WORD, "!"):
                raise ValueError(f"found '{literal}', expected: identifier after ','")

    def _term(self) -> Term:
        kind, key = self._take()
        absent = kind == "!"
        if absent:
            kind, key = self._take()
        if kind != _WORD:
            raise ValueError(f"found '{key}', expected: identifier")
        _check_key(key)
        if absent or self._peek()[0] in (_END, ","):
            return Term(key, "!" if absent else "exists")
        operator, literal = self._left[self._at]
        self._at += 1
        if operator in ("in", "notin"):
            values = self._values()
        elif operator in ("=", "==", "!=", ">", "<"):
            values = self._value()
        else:
            raise ValueError(f"found '{literal}', expected: {_OPERATORS}")
        _check_values(key, values, operator)
        return Term(key, operator, tuple(sorted(values)))

    def _value(self) -> set[str]:
        if self._peek()[0] in (_END, ","):
            return {""}
        kind, literal = self._take()
        if kind != _WORD:
            raise ValueError(f"found '{literal}', expected: identifier")
        return {literal}

    def _values(self) -> set[str]:
        kind, literal = self._take()
        if kind != "(":
            raise ValueError(f"found '{literal}' expected: '('")
        kind, literal = self._peek()
        if kind == ")":
            self._take()
            return {""}
        if kind not in (_WORD, ","):
            raise ValueError(f"found '{literal}', expected: ',', ')' or identifier")
        found = self._identifiers()
        if self._take()[0] != ")":
            raise ValueError(f"found '{literal}', expected: ')'")
        return found

    def _identifiers(self) -> set[str]:
        found: set[str] = set()
        while True:
            kind, literal = self._take()
            following, next_literal = self._peek() if self._at < len(self._left) else (_END, "")
            if kind == _WORD:
                found.add(literal)
                if following == ")":
                    return found
                if following != ",":
                    raise ValueError(f"found '{next_literal}', expected: ',' or ')'")
            elif kind == ",":
                if not found or following in (")", ","):
                    found.add("")
                if following == ")":
                    return found
            else:
                raise ValueError(f"found '{literal}', expected: ',', or identifier")


def _check_key(key: str) -> None:
    complaints = names.qualified_name(key)
    if complaints:
        raise ValueError(_said([errors.invalid_value("<nil>", key, "; ".join(complaints))]))


def _check_values(key: str, values: set[str], operator: str) -> None:
    found: list[FieldError] = []
    if operator in _ORDERING:
        found += [
            errors.invalid_value(f"values[{at}]", value, "for 'Gt', 'Lt' operators, the value must be an integer")
            for at, value in enumerate(sorted(values))
            if not _INTEGER.fullmatch(value)
        ]
    for at, value in enumerate(sorted(values)):
        complaints = names.label_value(value)
        if complaints:
            found.append(errors.invalid_value(f"values[{at}][{key}]", value, "; ".join(complaints)))
    if found:
        raise ValueError(_said(found))


def _said(found: list[FieldError]) -> str:
    texts = [f"{one.field}: {one.body}" for one in found]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"

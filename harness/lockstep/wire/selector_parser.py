"""Selectors in text form, such as `app=web,tier in (a,b)` (apimachinery pkg/labels/selector.go, Lexer and Parser)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from lockstep.wire.gotext import quote
from lockstep.wire.names import qualified_name
from lockstep.wire.selectors import (
    InvalidSelector,
    Requirement,
    Selector,
    requirement,
    sorted_selector,
)

_SPECIAL = "=!(),><"
#: Symbols of the lexer: it takes the longest that exists.
_SYMBOLS = re.compile(r"==|!=|[=!(),><]")
_WORD = re.compile(rf"[^{re.escape(_SPECIAL)} \t\r\n\0]+")
_SPACE = re.compile(r"[ \t\r\n]*")
_OPERATORS = {"in": "in", "=": "=", "==": "==", ">": "gt", "<": "lt", "notin": "notin", "!=": "!="}
_OBJECT_OPERATORS = {"in": "In", "notin": "NotIn", "exists": "Exists", "!": "DoesNotExist"}
_BINARY = "in, notin, =, ==, !=, gt, lt"
_END = ""


@lru_cache(maxsize=4096)
def parse(text: str) -> Selector:
    """The selector that `text` describes (Parse). Raises InvalidSelector with upstream's message."""
    return sorted_selector(_Parser(text).parse())


def parse_to_label_selector(text: str) -> dict[str, Any]:
    """The equal LabelSelector object, without empty fields (ParseToLabelSelector).

    Raises InvalidSelector with upstream's message, also if such an object cannot express the selector.
    """
    try:
        requirements = parse(text).requirements
    except InvalidSelector as error:
        raise InvalidSelector(f'couldn\'t parse the selector string "{text}": {error}') from error
    labels: dict[str, str] = {}
    expressions: list[dict[str, Any]] = []
    for one in requirements:
        if one.operator in ("=", "=="):
            labels[one.key] = one.values[0]
        elif one.operator in ("gt", "lt"):
            raise InvalidSelector(f"{quote(one.operator)} isn't supported in label selectors")
        elif one.operator == "!=":
            raise InvalidSelector(f"{quote(one.operator)} is not a valid label selector operator")
        else:
            values = {"values": list(one.values)} if one.values else {}
            expressions.append({"key": one.key, "operator": _OBJECT_OPERATORS[one.operator], **values})
    selector = {"matchLabels": labels, "matchExpressions": expressions}
    return {field: terms for field, terms in selector.items() if terms}


class _Parser:
    def __init__(self, text: str) -> None:
        self._words = _scan(text)
        self._position = 0

    def _look(self) -> str:
        return self._words[self._position]

    def _take(self) -> str:
        self._position += 1
        return self._words[self._position - 1]

    def parse(self) -> list[Requirement]:
        found: list[Requirement] = []
        while True:
            word = self._look()
            if word == _END:
                return found
            if not (_is_identifier(word) or word == "!"):
                raise InvalidSelector(f"found '{word}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self._requirement())
            except InvalidSelector as error:
                raise InvalidSelector(f"unable to parse requirement: {error}") from error
            word = self._take()
            if word == _END:
                return found
            if word != ",":
                raise InvalidSelector(f"found '{word}', expected: ',' or 'end of string'")
            word = self._look()
            if not (_is_identifier(word) or word == "!"):
                raise InvalidSelector(f"found '{word}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        key, operator = self._key()
        if operator:
            return requirement(key, operator, ())
        word = self._take()
        operator = _OPERATORS.get(word, "")
        if not operator:
            raise InvalidSelector(f"found '{word}', expected: {_BINARY}")
        values = self._values() if operator in ("in", "notin") else [self._exact_value()]
        return requirement(key, operator, sorted(dict.fromkeys(values)))

    def _key(self) -> tuple[str, str]:
        """The key, and the operator if nothing follows; `!` counts in any case (parseKeyAndInferOperator)."""
        word, operator = self._take(), ""
        if word == "!":
            operator, word = "!", self._take()
        if not _is_identifier(word):
            raise InvalidSelector(f"found '{word}', expected: identifier")
        if wrong := qualified_name(word):
            raise InvalidSelector(f"<nil>: Invalid value: {quote(word)}: {'; '.join(wrong)}")
        if self._look() in (_END, ",") and not operator:
            operator = "exists"
        return word, operator

    def _values(self) -> list[str]:
        """`(a,b)`; missing ones are empty (parseValues)."""
        word = self._take()
        if word != "(":
            raise InvalidSelector(f"found '{word}' expected: '('")
        first = self._look()
        if first == ")":
            self._take()
            return [""]
        if not (_is_identifier(first) or first == ","):
            raise InvalidSelector(f"found '{first}', expected: ',', ')' or identifier")
        values = self._identifiers()
        if self._take() != ")":
            raise InvalidSelector(f"found '{first}', expected: ')'")
        return values

    def _identifiers(self) -> list[str]:
        values: list[str] = []
        while True:
            word = self._take()
            if _is_identifier(word):
                values.append(word)
                behind = self._look()
                if behind == ")":
                    return values
                if behind != ",":
                    raise InvalidSelector(f"found '{behind}', expected: ',' or ')'")
            elif word == ",":
                behind = self._look()
                if not values or behind in (")", ","):
                    values.append("")
                if behind == ")":
                    return values
            else:
                raise InvalidSelector(f"found '{word}', expected: ',', or identifier")

    def _exact_value(self) -> str:
        if self._look() in (_END, ","):
            return ""
        word = self._take()
        if not _is_identifier(word):
            raise InvalidSelector(f"found '{word}', expected: identifier")
        return word


def _is_identifier(word: str) -> bool:
    return word != _END and word[0] not in _SPECIAL


def _scan(text: str) -> list[str]:
    """Symbols and words, then the end (Lexer.Lex). A NUL byte ends the text."""
    words: list[str] = []
    position = 0
    while True:
        position = _SPACE.match(text, position).end()  # type: ignore[union-attr]
        found = _SYMBOLS.match(text, position) or _WORD.match(text, position)
        if found is None:
            return [*words, _END]
        words.append(found[0])
        position = found.end()

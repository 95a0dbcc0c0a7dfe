"""What Go's encoding/json says of text that is no JSON: the first byte that it cannot use, and where that was."""

from __future__ import annotations

import orjson

_SPACE = frozenset(b" \t\r\n")
_DIGITS = frozenset(b"0123456789")
_HEX = frozenset(b"0123456789abcdefABCDEF")
_ESCAPES = frozenset(b'"\\/bfnrt')
_END = "unexpected end of JSON input"
_VALUE = "looking for beginning of value"


class _Refused(Exception):
    """The complaint."""


def syntax_error(raw: bytes) -> str:
    """The complaint about `raw`; "" if it is JSON."""
    scanner = _Scanner(raw)
    try:
        scanner.value(_VALUE)
        scanner.space()
        if scanner.at < len(raw):
            raise scanner.refused("after top-level value")
    except _Refused as problem:
        return str(problem)
    except RecursionError:
        return "exceeded max depth"
    return ""


def _shown(byte: int) -> str:
    if byte == ord("'"):
        return r"'\''"
    if byte == ord('"'):
        return "'\"'"
    letter = chr(byte)
    if byte < 0x80 or letter.isprintable():
        return f"'{orjson.dumps(letter).decode()[1:-1]}'" if byte >= 0x20 else f"'{_control(byte)}'"
    return f"'\\u{byte:04x}'"


def _control(byte: int) -> str:
    named = {7: r"\a", 8: r"\b", 9: r"\t", 10: r"\n", 11: r"\v", 12: r"\f", 13: r"\r"}
    return named.get(byte, f"\\x{byte:02x}")


class _Scanner:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.at = 0

    def refused(self, where: str) -> _Refused:
        """The complaint about the byte that is next."""
        if self.at >= len(self._raw):
            return _Refused(_END)
        return _Refused(f"invalid character {_shown(self._raw[self.at])} {where}")

    def space(self) -> None:
        """Skip white space."""
        while self.at < len(self._raw) and self._raw[self.at] in _SPACE:
            self.at += 1

    def _next(self) -> int:
        return self._raw[self.at] if self.at < len(self._raw) else -1

    def value(self, where: str) -> None:
        """Skip one value."""
        self.space()
        first = self._next()
        if first == ord("{"):
            self._object()
        elif first == ord("["):
            self._array()
        elif first == ord('"'):
            self._string()
        elif first == ord("-") or first in _DIGITS:
            self._number()
        elif first in b"tfn" and first >= 0:
            self._literal({ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}[first])
        else:
            raise self.refused(where)

    def _object(self) -> None:
        self.at += 1
        self.space()
        if self._next() == ord("}"):
            self.at += 1
            return
        while True:
            self.space()
            if self._next() != ord('"'):
                raise self.refused("looking for beginning of object key string")
            self._string()
            self._expect(b":", "after object key")
            self.value(_VALUE)
            if self._expect(b",}", "after object key:value pair") == ord("}"):
                return

    def _array(self) -> None:
        self.at += 1
        self.space()
        if self._next() == ord("]"):
            self.at += 1
            return
        while True:
            self.value(_VALUE)
            if self._expect(b",]", "after array element") == ord("]"):
                return

    def _expect(self, wanted: bytes, where: str) -> int:
        self.space()
        found = self._next()
        if found < 0 or found not in wanted:
            raise self.refused(where)
        self.at += 1
        return found

    def _string(self) -> None:
        self.at += 1
        while (byte := self._next()) != ord('"'):
            if byte < 0x20:
                raise self.refused("in string literal")
            self.at += 1
            if byte == ord("\\"):
                self._escape()
        self.at += 1

    def _escape(self) -> None:
        if self._next() == ord("u"):
            for _ in range(4):
                self.at += 1
                if self._next() not in _HEX:
                    raise self.refused("in \\u hexadecimal character escape")
        elif self._next() not in _ESCAPES:
            raise self.refused("in string escape code")
        self.at += 1

    def _number(self) -> None:
        if self._next() == ord("-"):
            self.at += 1
        if self._next() == ord("0"):
            self.at += 1
        else:
            self._digits("in numeric literal")
        if self._next() == ord("."):
            self.at += 1
            self._digits("after decimal point in numeric literal")
        if self._next() in (ord("e"), ord("E")):
            self.at += 1
            if self._next() in (ord("+"), ord("-")):
                self.at += 1
            self._digits("in exponent of numeric literal")

    def _digits(self, where: str) -> None:
        if self._next() not in _DIGITS:
            raise self.refused(where)
        while self._next() in _DIGITS:
            self.at += 1

    def _literal(self, word: bytes) -> None:
        for letter in word:
            if self._next() != letter:
                raise self.refused(f"in literal {word.decode()} (expecting '{chr(letter)}')")
            self.at += 1

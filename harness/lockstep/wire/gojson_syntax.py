"""Go's messages about text that is not JSON (encoding/json/scanner.go)."""

from __future__ import annotations

from lockstep.wire.gotext import quote

_SPACE = b" \t\r\n"
_DIGITS = b"0123456789"
_HEX = b"0123456789abcdefABCDEF"
_ESCAPES = b'bfnrt\\/"'
_LITERALS = {b"t": b"true", b"f": b"false", b"n": b"null"}
_BRACKETS = {b"{": b"}", b"[": b"]"}
#: Brackets that may be open at once (maxNestingDepth).
_DEEPEST = 10_000


def syntax_error(text: bytes) -> str:
    """Go's complaint about the text; "" if it is one JSON value."""
    scanner = _Scanner(text)
    try:
        scanner.document()
    except _Refused as refused:
        return str(refused)
    return ""


class _Refused(Exception):
    """The complaint."""


class _Scanner:
    def __init__(self, text: bytes) -> None:
        self._text = text
        self._position = 0

    def document(self) -> None:
        """One value, with only space around it."""
        self._value()
        self._skip_space()
        if self._here():
            raise self._refused("after top-level value")

    def _here(self) -> bytes:
        """The byte to be looked at; empty at the end."""
        return self._text[self._position : self._position + 1]

    def _take(self) -> bytes:
        self._position += 1
        return self._text[self._position - 1 : self._position]

    def _skip_space(self) -> None:
        while self._here() and self._here() in _SPACE:
            self._position += 1

    def _refused(self, context: str, *, inside: bool = False) -> _Refused:
        """The byte here is wrong. Go ends a text with a space, which is wrong too `inside` a token."""
        byte = self._here() or (b" " if inside else b"")
        if not byte:
            return _Refused("unexpected end of JSON input")
        character = byte.decode("latin-1")
        shown = {"'": r"\'", '"': '"'}.get(character) or quote(character)[1:-1]
        return _Refused(f"invalid character '{shown}' {context}")

    def _value(self) -> None:
        """Any value, and what is inside it; a loop, since Go accepts more levels than Python has frames."""
        closing: list[bytes] = []
        while True:
            self._skip_space()
            bracket = _BRACKETS.get(self._here())
            if bracket is not None and self._opens(bracket, len(closing)):
                closing.append(bracket)
            else:
                if bracket is None:
                    self._scalar()
                while closing and self._closes(closing[-1]):
                    closing.pop()
                if not closing:
                    return
            if closing[-1] == b"}":
                self._key()

    def _opens(self, bracket: bytes, depth: int) -> bool:
        """At an opening bracket: whether anything is inside; else both brackets are consumed."""
        if depth == _DEEPEST:
            raise self._refused("exceeded max depth")
        self._take()
        self._skip_space()
        if self._here() == bracket:
            self._take()
            return False
        return True

    def _closes(self, bracket: bytes) -> bool:
        """After an element: whether the bracket follows instead of a comma."""
        self._skip_space()
        if self._here() not in (b",", bracket):
            raise self._refused("after object key:value pair" if bracket == b"}" else "after array element")
        return self._take() == bracket

    def _key(self) -> None:
        self._skip_space()
        if self._here() != b'"':
            raise self._refused("looking for beginning of object key string")
        self._string()
        self._skip_space()
        if self._here() != b":":
            raise self._refused("after object key")
        self._take()

    def _scalar(self) -> None:
        byte = self._here()
        if byte == b'"':
            self._string()
        elif byte in _LITERALS:
            self._literal(_LITERALS[byte])
        elif byte == b"-" or (byte and byte in _DIGITS):
            self._number()
        else:
            raise self._refused("looking for beginning of value")

    def _string(self) -> None:
        self._take()
        while (byte := self._here()) != b'"':
            if not byte or byte < b" ":
                raise self._refused("in string literal")
            self._take()
            if byte == b"\\":
                self._escape()
        self._take()

    def _escape(self) -> None:
        byte = self._here()
        if byte == b"u":
            self._take()
            for _ in range(4):
                self._one_of(_HEX, r"in \u hexadecimal character escape")
        else:
            self._one_of(_ESCAPES, "in string escape code")

    def _literal(self, word: bytes) -> None:
        self._take()
        for index in range(1, len(word)):
            expected = word[index : index + 1]
            self._one_of(expected, f"in literal {word.decode()} (expecting '{expected.decode()}')")

    def _number(self) -> None:
        if self._here() == b"-":
            self._take()
        first = self._here()
        self._one_of(_DIGITS, "in numeric literal")
        if first != b"0":
            self._digits()
        if self._here() == b".":
            self._take()
            self._one_of(_DIGITS, "after decimal point in numeric literal")
            self._digits()
        if self._here() in (b"e", b"E"):
            self._take()
            if self._here() in (b"+", b"-"):
                self._take()
            self._one_of(_DIGITS, "in exponent of numeric literal")
            self._digits()

    def _digits(self) -> None:
        while self._here() and self._here() in _DIGITS:
            self._take()

    def _one_of(self, allowed: bytes, context: str) -> None:
        if not self._here() or self._here() not in allowed:
            raise self._refused(context, inside=True)
        self._take()

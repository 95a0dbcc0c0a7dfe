"""What Go says about text that is no JSON (encoding/json/scanner.go)."""

from __future__ import annotations

from lockstep_reference.machinery.gotext import quote

_SPACE = b" \t\r\n"
_DIGITS = b"0123456789"
_HEX = b"0123456789abcdefABCDEF"
_ESCAPES = b'bfnrt\\/"'
_LITERALS = {b"t": b"true", b"f": b"false", b"n": b"null"}
_END = "unexpected end of JSON input"


class JsonSyntaxError(ValueError):
    """The text is no JSON; `str()` is Go's text."""


def check_syntax(text: str) -> None:
    """Raises JsonSyntaxError unless the text is one JSON value."""
    scanner = _Scanner(text.encode("utf-8", "surrogatepass"))
    try:
        scanner.value()
    except RecursionError as error:  # Go's own limit is 10,000 levels
        raise JsonSyntaxError("exceeded max depth") from error
    scanner.skip_space()
    if scanner.here():
        raise scanner.error("after top-level value")


class _Scanner:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def here(self) -> bytes:
        """The byte to be looked at; empty at the end."""
        return self._data[self._position : self._position + 1]

    def _take(self) -> bytes:
        self._position += 1
        return self._data[self._position - 1 : self._position]

    def skip_space(self) -> None:
        """Space between tokens."""
        while self.here() and self.here() in _SPACE:
            self._position += 1

    def error(self, context: str, *, inside: bool = False) -> JsonSyntaxError:
        """The byte here is wrong. Go ends a text with a space, which is wrong too `inside` a token."""
        byte = self.here() or (b" " if inside else b"")
        if not byte:
            return JsonSyntaxError(_END)
        character = byte.decode("latin-1")
        shown = {"'": r"\'", '"': '"'}.get(character) or quote(character)[1:-1]
        return JsonSyntaxError(f"invalid character '{shown}' {context}")

    def value(self) -> None:
        """Any value."""
        self.skip_space()
        byte = self.here()
        if byte == b"{":
            self._object()
        elif byte == b"[":
            self._array()
        elif byte == b'"':
            self._string()
        elif byte in _LITERALS:
            self._literal(_LITERALS[byte])
        elif byte == b"-" or (byte and byte in _DIGITS):
            self._number()
        else:
            raise self.error("looking for beginning of value")

    def _object(self) -> None:
        self._take()
        self.skip_space()
        if self.here() == b"}":
            self._take()
            return
        while True:
            self.skip_space()
            if self.here() != b'"':
                raise self.error("looking for beginning of object key string")
            self._string()
            self.skip_space()
            if self.here() != b":":
                raise self.error("after object key")
            self._take()
            self.value()
            if self._ends(b"}", "after object key:value pair"):
                return

    def _array(self) -> None:
        self._take()
        self.skip_space()
        if self.here() == b"]":
            self._take()
            return
        while True:
            self.value()
            if self._ends(b"]", "after array element"):
                return

    def _ends(self, bracket: bytes, context: str) -> bool:
        """Behind an element: whether the bracket follows, and not a comma."""
        self.skip_space()
        if self.here() not in (b",", bracket):
            raise self.error(context)
        return self._take() == bracket

    def _string(self) -> None:
        self._take()
        while (byte := self.here()) != b'"':
            if not byte or byte < b" ":
                raise self.error("in string literal")
            self._take()
            if byte == b"\\":
                self._escape()
        self._take()

    def _escape(self) -> None:
        byte = self.here()
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
        if self.here() == b"-":
            self._take()
        first = self.here()
        self._one_of(_DIGITS, "in numeric literal")
        if first != b"0":
            self._digits()
        if self.here() == b".":
            self._take()
            self._one_of(_DIGITS, "after decimal point in numeric literal")
            self._digits()
        if self.here() in (b"e", b"E"):
            self._take()
            if self.here() in (b"+", b"-"):
                self._take()
            self._one_of(_DIGITS, "in exponent of numeric literal")
            self._digits()

    def _digits(self) -> None:
        while self.here() and self.here() in _DIGITS:
            self._take()

    def _one_of(self, allowed: bytes, context: str) -> None:
        if not self.here() or self.here() not in allowed:
            raise self.error(context, inside=True)
        self._take()

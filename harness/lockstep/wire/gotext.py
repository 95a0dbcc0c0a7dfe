"""Text as Go prints it: values in upstream's messages with `%q`, `%v`, `%+v` and json.Marshal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_ESCAPES = {
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
    '"': r"\"",
    "\\": r"\\",
}
_EXPONENT_FROM = 1e21
_HTML = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


def quote(text: str) -> str:
    """`%q` of a string (strconv.Quote)."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    if character.isprintable():
        return character
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def plain(value: Any) -> str:
    """`%v` of a JSON value: `map[a:1 b:[x y]]`, keys sorted, strings bare."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{plain(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(plain, value))}]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return str(value).lower()
    return _float(value) if isinstance(value, float) else str(value)


def _float(value: float) -> str:
    """As `%v`: whole numbers have no point, and an exponent only from 1e21 on."""
    return str(int(value)) if value.is_integer() and abs(value) < _EXPONENT_FROM else repr(value)


def json_list(values: Sequence[str]) -> str:
    """A list of strings as json.Marshal writes it; an empty one is a nil slice."""
    if not values:
        return "null"
    return json.dumps(list(values), separators=(",", ":"), ensure_ascii=False).translate(_HTML)


def label_selector(selector: Mapping[str, Any] | None) -> str:
    """`%+v` of a *LabelSelector (apimachinery pkg/apis/meta/v1/generated.pb.go, LabelSelector.String)."""
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    expressions = "".join(map(_expression, selector.get("matchExpressions") or ()))
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


def _expression(expression: Mapping[str, Any]) -> str:
    key, operator = expression.get("key") or "", expression.get("operator") or ""
    values = " ".join(expression.get("values") or ())
    return f"LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},"

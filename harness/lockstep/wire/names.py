"""Names, labels and keys: the formats of apimachinery/pkg/util/validation, with their messages.

Every check returns the list of complaints, empty if the text is valid. Results are cached, since every pod has the same
few names, label keys and values.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_PATTERN = re.compile(_LABEL)
_SUBDOMAIN_PATTERN = re.compile(_SUBDOMAIN)
_NAME_PATTERN = re.compile(_NAME)

_ALPHANUMERIC = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)


def regex_error(message: str, pattern: str, *examples: str) -> str:
    """validation.RegexError."""
    listed = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {listed}regex used for validation is '{pattern}')"


def _too_long(limit: int, unit: str = "bytes") -> str:
    return f"must be no more than {limit} {unit}"


_NO_LABEL = regex_error(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character",
    _LABEL,
    "my-name",
    "123-abc",
)


@lru_cache(maxsize=4096)
def short_name(text: str) -> tuple[str, ...]:
    """IsDNS1123Label of apimachinery/pkg/util/validation: names of containers, namespaces, stateful sets."""
    found = ["must be no more than 63 characters"] if len(text.encode()) > 63 else []
    if not _LABEL_PATTERN.fullmatch(text):
        found.append("must not contain dots" if _SUBDOMAIN_PATTERN.fullmatch(text) else _NO_LABEL)
    return tuple(found)


@lru_cache(maxsize=16384)
def dns_subdomain(text: str, unit: str = "characters") -> tuple[str, ...]:
    """IsDNS1123Subdomain, the format of most object names. Of label keys, it counts in "bytes" (`unit`)."""
    if len(text.encode()) <= 253 and _SUBDOMAIN_PATTERN.fullmatch(text):
        return ()
    found = [_too_long(253, unit)] if len(text.encode()) > 253 else []
    if not _SUBDOMAIN_PATTERN.fullmatch(text):
        found.append(
            regex_error(
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
                "or '.', and must start and end with an alphanumeric character",
                _SUBDOMAIN,
                "example.com",
            )
        )
    return tuple(found)


@lru_cache(maxsize=4096)
def qualified_name(text: str) -> tuple[str, ...]:
    """IsQualifiedName: label and annotation keys, finalizers."""
    prefix, slash, name = text.rpartition("/")
    found: list[str] = []
    if slash and "/" in prefix:
        return (
            "a valid label key "
            + regex_error(_ALPHANUMERIC, _NAME, "MyName", "my.name", "123-abc")
            + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        )
    if slash and not prefix:
        found.append("prefix part must be non-empty")
    elif slash:
        found.extend(f"prefix part {complaint}" for complaint in dns_subdomain(prefix, "bytes"))
    if not name:
        found.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        found.append(f"name part {_too_long(63)}")
    if not _NAME_PATTERN.fullmatch(name):
        found.append("name part " + regex_error(_ALPHANUMERIC, _NAME, "MyName", "my.name", "123-abc"))
    return tuple(found)


@lru_cache(maxsize=16384)
def label_value(text: str) -> tuple[str, ...]:
    """IsValidLabelValue."""
    found = [_too_long(63)] if len(text.encode()) > 63 else []
    if text and not _NAME_PATTERN.fullmatch(text):
        found.append(
            regex_error(
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
                "'.', and must start and end with an alphanumeric character",
                f"({_NAME})?",
                "MyValue",
                "my_value",
                "12345",
            )
        )
    return tuple(found)


_CONFIG_KEY = "[-._a-zA-Z0-9]+"
_CONFIG_KEY_PATTERN = re.compile(_CONFIG_KEY)


@lru_cache(maxsize=4096)
def config_key(text: str) -> tuple[str, ...]:
    """IsConfigMapKey."""
    found = ["must be no more than 253 characters"] if len(text.encode()) > 253 else []
    if not _CONFIG_KEY_PATTERN.fullmatch(text):
        message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        found.append(regex_error(message, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    elif text in (".", ".."):
        found.append(f"must not be '{text}'")
    elif text.startswith(".."):
        found.append("must not start with '..'")
    return tuple(found)


def path_segment(text: str) -> tuple[str, ...]:
    """content.IsPathSegmentName: the minimum for any name."""
    if text in (".", ".."):
        return (f"may not be '{text}'",)
    return tuple(f"may not contain '{bad}'" for bad in ("/", "%") if bad in text)


def mask_trailing_dash(text: str) -> str:
    """A generateName may end in '-', since more will follow (validation.maskTrailingDash)."""
    return text[:-2] + "a" if len(text) > 1 and text.endswith("-") else text

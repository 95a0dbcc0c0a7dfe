"""What may be the key or the value of a label, and what upstream says of what may not.

Source: apimachinery pkg/api/validate/content/{kube,dns,errors}.go. The texts end up in events and conditions.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NAME_FORMAT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_DNS_LABEL_FORMAT = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_FORMAT = rf"{_DNS_LABEL_FORMAT}(\.{_DNS_LABEL_FORMAT})*"
_NAME = re.compile(_NAME_FORMAT)
_SUBDOMAIN = re.compile(_SUBDOMAIN_FORMAT)
_MAX_NAME = 63
_MAX_SUBDOMAIN = 253

_NAME_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_NAME_FORMAT}')"
)
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character "
    f"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '({_NAME_FORMAT})?')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    f"end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN_FORMAT}')"
)


@lru_cache(maxsize=1024)
def key_problems(key: str) -> tuple[str, ...]:
    """What is wrong with a label key, nothing if it is valid (IsLabelKey)."""
    parts = key.split("/")
    if len(parts) > 2:
        example = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return (f"a valid label key {_NAME_RULE} {example}",)
    problems = _prefix_problems(parts[0]) if len(parts) == 2 else []
    name = parts[-1]
    if not name:
        problems.append("name part must be non-empty")
    elif len(name.encode()) > _MAX_NAME:
        problems.append(f"name part {_too_long(_MAX_NAME)}")
    if not _NAME.fullmatch(name):
        problems.append(f"name part {_NAME_RULE}")
    return tuple(problems)


def _prefix_problems(prefix: str) -> list[str]:
    if not prefix:
        return ["prefix part must be non-empty"]
    problems = []
    if len(prefix.encode()) > _MAX_SUBDOMAIN:
        problems.append(f"prefix part {_too_long(_MAX_SUBDOMAIN)}")
    if not _SUBDOMAIN.fullmatch(prefix):
        problems.append(f"prefix part {_SUBDOMAIN_RULE}")
    return problems


@lru_cache(maxsize=1024)
def value_problems(value: str) -> tuple[str, ...]:
    """What is wrong with a label value, nothing if it is valid (IsLabelValue)."""
    problems = []
    if len(value.encode()) > _MAX_NAME:
        problems.append(_too_long(_MAX_NAME))
    if value and not _NAME.fullmatch(value):
        problems.append(_VALUE_RULE)
    return tuple(problems)


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} bytes"

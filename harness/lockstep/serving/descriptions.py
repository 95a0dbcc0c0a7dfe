"""Descriptions of types and fields from the official Python client, which is generated from Kubernetes' OpenAPI."""

from __future__ import annotations

import importlib
import re
from functools import cache
from types import ModuleType
from typing import Any

_GETTER = re.compile(
    r"\s*Gets the \w+ of this \w+\.\s*(?:# noqa: E501)?\s*(.*?)\s*(?:# noqa: E501)?\s*:return:.*", re.DOTALL
)


@cache
def _models() -> ModuleType | None:
    try:
        return importlib.import_module("kubernetes.client.models")
    except ImportError:
        return None


def _model_of(name: str) -> Any:
    """The client's class for a type, such as `apps/v1.ReplicaSet`. For an ambiguous type, its name has the group."""
    package, _, bare = name.partition(".")
    group, _, version = package.partition("/")
    versioned = f"{version.capitalize()}{bare}"
    return getattr(_models(), f"{group.capitalize()}{versioned}", getattr(_models(), versioned, None))


def description_of(name: str) -> str:
    """The description of a type; "" if there is none."""
    text = (getattr(_model_of(name), "__doc__", None) or "").partition("Attributes:")[0].strip()
    return "" if "auto generated" in text else text


def descriptions_of(name: str) -> dict[str, str]:
    """The descriptions of the fields of a type, by name."""
    model = _model_of(name)
    if not hasattr(model, "attribute_map"):
        return {}
    found = {field: _described(model, attribute) for attribute, field in model.attribute_map.items()}
    return {field: text for field, text in found.items() if text}


def _described(model: Any, attribute: str) -> str:
    """In the field (from release 37 on), or in its getter."""
    field = (getattr(model, "model_fields", None) or {}).get(attribute)
    text = getattr(field, "description", None)
    if text is None:
        match = _GETTER.match(getattr(getattr(model, attribute, None), "__doc__", None) or "")
        text = match[1] if match else ""
    return str(text)

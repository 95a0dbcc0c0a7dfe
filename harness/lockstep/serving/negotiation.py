"""Content negotiation: which of its accepted forms a client gets (apiserver/pkg/endpoints/handlers/negotiation).

Protobuf and CBOR are not supported; clients that prefer one of them accept JSON as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

JSON, YAML = "application/json", "application/yaml"
_FORMS = {JSON: JSON, "*/*": JSON, YAML: YAML, "application/x-yaml": YAML, "text/yaml": YAML}
_SHAPES = frozenset({"Table", "PartialObjectMetadata", "PartialObjectMetadataList"})
_VERSIONS = frozenset({"v1", "v1beta1"})


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an answer. `shape` is "" for the object itself, else one of meta.k8s.io's shapes, in `version`."""

    media: str = JSON
    shape: str = ""
    version: str = "v1"


@lru_cache(maxsize=256)
def negotiate(accept: str) -> Form | None:
    """The first form that an Accept header allows, by quality, then by order; None if there is none (406)."""
    found: list[tuple[float, Form]] = []
    for clause in (accept or JSON).split(","):
        media, *rest = (part.strip() for part in clause.split(";"))
        form = _FORMS.get(media.lower())
        if form is None:
            continue
        parameters = dict(part.split("=", 1) for part in rest if "=" in part)
        shape, version = parameters.get("as", ""), parameters.get("v", "v1")
        if shape and (parameters.get("g") != "meta.k8s.io" or version not in _VERSIONS or shape not in _SHAPES):
            continue
        found.append((_quality(parameters.get("q", "1")), Form(form, shape, version)))
    if not found:
        return None
    return max(found, key=lambda item: item[0])[1]


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0

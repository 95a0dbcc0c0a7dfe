"""The metadata of a request's body: decoded like metav1.ObjectMeta, without its empty fields.

Labels, annotations, owner references and finalizers have few different values in a thousand pods, so equal ones become
one shared object.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.copies import copied
from lockstep.apiserver.decoding import undecodable
from lockstep.apiserver.gotypes import Bool, Field, Int, Moment, Slice, Struct, Text, Texts, Type, Unfit
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.sharing import Shared
from lockstep.wire.gojson import Place, complaint
from lockstep.wire.metav1 import OBJECT_META

_TEXT, _INT64 = Field(Text(), always=True), Int(64)
_OWNER_REFERENCES = Slice(
    Struct(
        "v1.OwnerReference",
        {
            "apiVersion": _TEXT,
            "kind": _TEXT,
            "name": _TEXT,
            "uid": Field(Text("types.UID"), always=True),
            "controller": Field(Bool(), pointer=True),
            "blockOwnerDeletion": Field(Bool(), pointer=True),
        },
    )
)
_STRINGS = frozenset({"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"})
_TYPES: dict[str, Type] = {
    **dict.fromkeys(_STRINGS - {"uid"}, Text()),
    "uid": Text("types.UID"),
    "generation": _INT64,
    "creationTimestamp": Moment(),
    "deletionTimestamp": Moment(),
    "deletionGracePeriodSeconds": _INT64,
}


def _owner_references(sent: Any) -> list[Any]:
    """Equal ones count once (handlers/create.go dedupOwnerReferences)."""
    taken = [one or {} for one in _OWNER_REFERENCES.take(sent)]
    return [one for at, one in enumerate(taken) if one not in taken[:at]]


_SHARED = {
    "labels": Shared(Texts().take),
    "annotations": Shared(Texts().take),
    "ownerReferences": Shared(_owner_references),
    "finalizers": Shared(lambda sent: [one or "" for one in Slice(Text()).take(sent)]),
}
_DROPPED_WHEN_EMPTY = _STRINGS | _SHARED.keys() | {"managedFields", "generation"}


def canonical_metadata(metadata: Any, kind: Kind) -> dict[str, Any]:
    """The metadata without its empty fields. Raises ApiError 400 on a wrong type."""
    result: dict[str, Any] = {}
    try:
        if type(metadata) is not dict:
            raise Unfit
        for key, sent in metadata.items():
            if sent is None or (not sent and key in _DROPPED_WHEN_EMPTY) or key == "selfLink":
                continue
            shared = _SHARED.get(key)
            if shared is not None:
                result[key] = shared(sent)
            else:
                result[key] = sent if type(sent) is str and key in _STRINGS else _taken(key, sent)
    except ValueError as problem:
        told = complaint(metadata, OBJECT_META, Place(kind.kind, "metadata"))
        raise undecodable(kind, told or str(problem)) from None
    return result


def _taken(key: str, sent: Any) -> Any:
    form = _TYPES.get(key)
    return copied(sent) if form is None else form.take(sent)

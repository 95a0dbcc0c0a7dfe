"""Fields that a kind does not have, and fields that are named twice: dropped, warned about or refused.

From apiserver/pkg/endpoints/handlers (create.go, update.go, patch.go, rest.go) and apimachinery's strict decoding. The
fields of the built-in kinds come from `State.field_rules`; without it, every field is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from lockstep.apiserver import errors
from lockstep.apiserver.decoding import undecodable
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.patching.forms import Form, form_of
from lockstep.apiserver.state import Call, FieldRules, Path, State
from lockstep.apiserver.structural.unknown import unknown_fields

_STRICT, _IGNORE = "Strict", "Ignore"


def declared(state: State, call: Call, sent: Any) -> Any:
    """A body, or a patched object, with known fields only.

    Raises Undecodable for a value of a wrong type, and for unknown fields if they are not allowed.
    """
    rules = state.field_rules
    if rules is None or type(sent) is not dict or not _is_of(call.kind, sent):
        return sent
    try:
        kept, complaints = _judged(rules, call, sent)
    except ValueError as problem:
        raise undecodable(call.kind, str(problem)) from None
    if complaints and _directive(call) == _STRICT:
        raise undecodable(call.kind, _strict_error(complaints))
    return kept


def _is_of(kind: Kind, sent: dict[str, Any]) -> bool:
    """Whether a body has this kind, or none."""
    return (sent.get("apiVersion") or kind.api_version) == kind.api_version and (
        sent.get("kind") or kind.kind
    ) == kind.kind


def check_applied(state: State, call: Call) -> None:
    """An apply may not name unknown fields, with any fieldValidation. Raises ApiError 400 or 500, as upstream does."""
    rules, body = state.field_rules, call.request.body
    if rules is None or type(body) is not dict:
        return
    kind = call.kind
    named = f"{_group_version(body)}, Kind={body.get('kind', '')}"
    if (body.get("apiVersion"), body.get("kind")) != (kind.api_version, kind.kind):
        raise errors.bad_request(f"invalid object type: {named}")
    try:
        _, unknown = _unknown(rules, kind, body)
    except ValueError as problem:
        raise undecodable(kind, str(problem)) from None
    if unknown:
        told = [f"{_typed_path(body, path, form_of(kind))}: field not declared in schema" for path in unknown]
        listed = told[0] if len(told) == 1 else "errors:\n" + "\n".join(f"  {one}" for one in told)
        metadata = body.get("metadata") or {}
        who = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {named}"
        raise ApiError(500, "", f"failed to create typed patch object ({who}): {listed}")
    complaints = call.request.complaints
    if complaints and _directive(call) == _STRICT:
        raise errors.bad_request(f"error strict decoding YAML: {', '.join(complaints)}")
    _warn(call, complaints)


def decoded(state: State, kind: Kind, made: dict[str, Any]) -> dict[str, Any]:
    """The object after an apply, as a decoder leaves it."""
    rules = state.field_rules
    if rules is None:
        return made
    kept: dict[str, Any] = rules(kind, made)[0]
    return kept


def _group_version(body: dict[str, Any]) -> str:
    """The apiVersion of a body, with the slash even without a group."""
    version = str(body.get("apiVersion", ""))
    return version if "/" in version else f"/{version}"


def _judged(rules: FieldRules, call: Call, sent: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    kept, unknown = _unknown(rules, call.kind, sent)
    complaints = [*call.request.complaints, *(f'unknown field "{_dotted(path)}"' for path in unknown)]
    _warn(call, complaints)
    return kept, complaints


def _unknown(rules: FieldRules, kind: Kind, sent: dict[str, Any]) -> tuple[dict[str, Any], list[Path]]:
    kept, found = rules(kind, sent)
    if kind.schema is not None:  # unknown fields of custom resources are pruned later
        found = [*found, *sorted(unknown_fields(sent, kind.schema), key=_dotted)]
    return kept, found


def _directive(call: Call) -> str:
    return call.request.query.get("fieldValidation") or "Warn"


def _warn(call: Call, complaints: Sequence[str]) -> None:
    if complaints and _directive(call) not in (_STRICT, _IGNORE):
        call.warnings = (*call.warnings, *complaints)


def _strict_error(complaints: Sequence[str]) -> str:
    return f"strict decoding error: {', '.join(complaints)}"


def _dotted(path: Path) -> str:
    """`spec.containers[0].image`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _typed_path(body: Any, path: Path, form: Form) -> str:
    """`.spec.containers[name="app"].image`: items of a list are named by their keys (structured-merge-diff)."""
    text, place = "", body
    for step in path:
        place = place[step]
        if isinstance(step, str):
            text, form = f"{text}.{step}", form.field(step)
            continue
        identity = form.identity(place)
        named = [f"{key}={orjson.dumps(value).decode()}" for key, value in sorted((identity or {}).items())]
        text, form = f"{text}[{','.join(named) or step}]", form.item()
    return text

"""What selector and template say of pods, for as long as the spec stays the same object."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.selectors import InvalidSelector
from lockstep_reference.replicaset.selection import Selections

WEB = frozenset({("app", "web")})
FULL = frozenset({("app", "web"), ("tier", "front")})


def replica_set(app: str = "web") -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": app, "tier": "front"}}}
    return {"spec": {"selector": {"matchLabels": {"app": app}}, "template": template}}


def test_selector_and_template_differ() -> None:
    selection = Selections().of("default/web", replica_set())
    assert [selection.matches[labels] for labels in (WEB, FULL)] == [True, True]
    assert [selection.fully_labeled[labels] for labels in (WEB, FULL)] == [False, True]


def test_is_kept_while_the_spec_is_the_same_object() -> None:
    selections, rs = Selections(), replica_set()
    first = selections.of("default/web", rs)
    assert selections.of("default/web", {**rs, "status": {}}) is first
    assert not selections.of("default/web", replica_set("db")).matches[WEB]


def test_is_forgotten_with_the_replica_set() -> None:
    selections, rs = Selections(), replica_set()
    first = selections.of("default/web", rs)
    selections.forget("default/web")
    selections.forget("default/web")
    assert selections.of("default/web", rs) is not first


def test_refuses_an_invalid_selector() -> None:
    rs = {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Like"}]}}}
    with pytest.raises(InvalidSelector, match="is not a valid label selector operator"):
        Selections().of("default/web", rs)

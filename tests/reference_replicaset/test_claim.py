"""Claiming pods: who owns, adopts, releases."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from lockstep.wire.selectors import Matcher, selector_from
from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.controller_ref_manager import (
    AdoptionError,
    Aggregate,
    Claim,
    PodControllerRefManager,
    recheck_deletion_timestamp,
)
from lockstep_reference.replicaset.pod import Pod
from tests.reference_replicaset.objects import make_pod, make_rs, owner_ref

MATCHING = {"app": "web"}
OTHER = {"app": "other"}


def failure(code: int, reason: str, message: str = "refused") -> ApiError:
    return ApiError({"status": "Failure", "code": code, "reason": reason, "message": message})


class Patcher:
    """Records patches; fails for the pods named in `errors`."""

    def __init__(self, errors: dict[str, Exception] | None = None) -> None:
        self.errors = errors or {}
        self.patches: list[tuple[str, str, Any]] = []

    async def patch_pod(self, namespace: str, name: str, patch: dict[str, Any]) -> None:
        self.patches.append((namespace, name, patch))
        if name in self.errors:
            raise self.errors[name]


async def may_adopt() -> None:
    """Nothing speaks against it."""


def manager(patcher: Patcher, rs: dict[str, Any] | None = None, can_adopt: Any = may_adopt) -> Any:
    matches = Matcher(selector_from({"matchLabels": MATCHING}))
    return PodControllerRefManager(patcher, rs or make_rs(), matches, ("apps/v1", "ReplicaSet"), can_adopt)


def expected_claim(owner: str, matches: bool, rs_deleting: bool, pod_deleting: bool) -> Claim:
    """The claim matrix, as in the documentation of ClaimObject."""
    if owner == "foreign":
        return Claim.IGNORED
    if owner == "ours":
        if matches:
            return Claim.OWNED
        return Claim.IGNORED if rs_deleting else Claim.RELEASE
    return Claim.ADOPT if matches and not rs_deleting and not pod_deleting else Claim.IGNORED


@pytest.mark.parametrize(
    ("owner", "matches", "rs_deleting", "pod_deleting"),
    list(itertools.product(["ours", "foreign", "orphan"], [True, False], [True, False], [True, False])),
)
def test_matrix(owner: str, matches: bool, rs_deleting: bool, pod_deleting: bool) -> None:
    reference = {"ours": owner_ref(), "foreign": owner_ref(uid="someone-else"), "orphan": None}[owner]
    pod = Pod(make_pod(owner=reference, labels=MATCHING if matches else OTHER, deleted=pod_deleting))
    claim = manager(Patcher(), make_rs(deleted=rs_deleting)).claim_object(pod)
    assert claim is expected_claim(owner, matches, rs_deleting, pod_deleting)


def test_an_orphan_of_another_namespace_is_not_adopted() -> None:
    pod = Pod(make_pod(labels=MATCHING, namespace="elsewhere"))
    assert manager(Patcher()).claim_object(pod) is Claim.IGNORED


def test_adoption_and_release_patches() -> None:
    patcher = Patcher()
    orphan = Pod(make_pod("orphan", labels=MATCHING))
    stray = Pod(make_pod("stray", labels=OTHER, owner=owner_ref()))
    assert asyncio.run(manager(patcher).claim_pods([orphan, stray])) == [orphan]
    assert patcher.patches == [
        ("default", "orphan", {"metadata": {"ownerReferences": [owner_ref()], "uid": "uid-orphan"}}),
        (
            "default",
            "stray",
            {"metadata": {"uid": "uid-stray", "ownerReferences": [{"$patch": "delete", "uid": "rs-uid"}]}},
        ),
    ]


@pytest.mark.parametrize("code", [404, 422])
def test_a_release_that_finds_nothing_to_release_is_no_failure(code: int) -> None:
    stray = Pod(make_pod("stray", labels=OTHER, owner=owner_ref()))
    reason = {404: "NotFound", 422: "Invalid"}[code]
    assert asyncio.run(manager(Patcher({"stray": failure(code, reason)})).claim_pods([stray])) == []


def test_an_orphan_that_is_gone_is_not_claimed_and_no_failure() -> None:
    orphan = Pod(make_pod("orphan", labels=MATCHING))
    assert asyncio.run(manager(Patcher({"orphan": failure(404, "NotFound")})).claim_pods([orphan])) == []


def test_an_invalid_adoption_is_a_failure() -> None:
    orphan = Pod(make_pod("orphan", labels=MATCHING))
    with pytest.raises(Aggregate, match=r"^no second controller$"):
        asyncio.run(manager(Patcher({"orphan": failure(422, "Invalid", "no second controller")})).claim_pods([orphan]))


def test_all_pods_are_tried_before_the_failures_are_raised() -> None:
    patcher = Patcher({"a": failure(500, "InternalError", "x"), "b": failure(500, "InternalError", "y")})
    pods = [Pod(make_pod(name, labels=MATCHING)) for name in "abc"]
    with pytest.raises(Aggregate, match=r"^\[x, y\]$"):
        asyncio.run(manager(patcher).claim_pods(pods))
    assert [name for _, name, _ in patcher.patches] == ["a", "b", "c"]


def test_equal_errors_are_shown_once() -> None:
    errors = [AdoptionError(text) for text in ("x", "y", "x")]
    assert str(Aggregate(errors)) == "[x, y]"
    assert str(Aggregate([errors[0], errors[2]])) == "x"
    assert str(Aggregate(errors[:1])) == "x"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (
            {"metadata": {"namespace": "default", "name": "web", "deletionTimestamp": "2000-01-01T00:00:10Z"}},
            "default/web has just been deleted at 2000-01-01 00:00:10 +0000 UTC",
        ),
        (
            failure(404, "NotFound", 'replicasets.apps "web" not found'),
            'can\'t recheck DeletionTimestamp: replicasets.apps "web" not found',
        ),
    ],
)
def test_adoption_is_refused_once_for_all(answer: Any, text: str) -> None:
    reads = []

    async def fresh() -> dict[str, Any]:
        reads.append(1)
        if isinstance(answer, Exception):
            raise answer
        return dict(answer)

    patcher = Patcher()
    pods = [Pod(make_pod(name, labels=MATCHING)) for name in "ab"]
    with pytest.raises(Aggregate) as raised:
        asyncio.run(manager(patcher, can_adopt=recheck_deletion_timestamp(fresh)).claim_pods(pods))
    lines = [f"can't adopt Pod default/{name} (uid-{name}): {text}" for name in "ab"]
    assert str(raised.value) == f"[{', '.join(lines)}]"
    assert (reads, patcher.patches) == ([1], [])


def test_nothing_is_rechecked_without_an_adoption() -> None:
    async def fresh() -> dict[str, Any]:
        raise AssertionError("asked without need")

    pods = [Pod(make_pod("a", labels=MATCHING, owner=owner_ref())), Pod(make_pod("b", labels=OTHER))]
    claimed = manager(Patcher(), can_adopt=recheck_deletion_timestamp(fresh)).claim_pods(pods)
    assert [pod.name for pod in asyncio.run(claimed)] == ["a"]

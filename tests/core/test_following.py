"""Orders that follow another run: open choices are made as there, and nothing else changes."""

from __future__ import annotations

from typing import Any

from lockstep import objects
from lockstep.implementations.following import Acts, Following
from lockstep.trace.history import History, Write


def pod(name: str, second: int, *, owner: str = "web", restarts: int = 0) -> dict[str, Any]:
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    made = objects.pod(name, {"app": owner}, metadata={"ownerReferences": [reference]})
    made["metadata"]["creationTimestamp"] = f"2000-01-01T00:00:{second:02d}Z"
    made["metadata"]["uid"] = name
    made["status"] = {"containerStatuses": [{"name": "app", "restartCount": restarts}]}
    return made


def evicted(at: int, before: dict[str, Any], actor: str = "vpa-updater") -> Write:
    return Write(
        at=at,
        actor=actor,
        verb="create",
        resource="pods",
        subresource="eviction",
        namespace="default",
        name=before["metadata"]["name"],
        code=201,
        reason="",
        before=before,
        after=before,
        body={},
        message="",
    )


def order(now: int, history: History, *pods: dict[str, Any]) -> list[str]:
    shuffled = list(pods)
    Following(0).follow(Acts(history), lambda: now).shuffle(shuffled)
    return [one["metadata"]["name"] for one in shuffled]


def test_who_is_acted_on_first_comes_first_whatever_its_name() -> None:
    history = History(["vpa-updater"], [evicted(60, pod("there-b", 20)), evicted(120, pod("there-c", 30))])
    here = pod("a", 10), pod("c", 30), pod("b", 20)
    assert order(0, history, *here) == ["b", "c", "a"]
    assert order(61, history, *here) == ["c", "a", "b"], "what is over does not count"


def test_observable_state_distinguishes_pods_of_one_age() -> None:
    history = History(["vpa-updater"], [evicted(60, pod("there", 20, restarts=2))])
    assert order(0, history, pod("a", 20), pod("b", 20, restarts=2)) == ["b", "a"]
    assert order(0, history, pod("a", 30), pod("b", 20, restarts=1)) == ["b", "a"], "or else their age does"


def test_acts_of_others_do_not_count_and_nothing_else_is_ordered() -> None:
    history = History(["vpa-updater"], [evicted(60, pod("there", 20), actor="kubelet")])
    assert order(0, history, pod("a", 10), pod("b", 20)) == ["a", "b"]
    keys = ["b", "a"]
    Following(0).follow(Acts(history), lambda: 0).shuffle(keys)
    assert keys == ["b", "a"]

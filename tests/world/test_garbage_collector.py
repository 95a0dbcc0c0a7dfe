"""The garbage collector and the namespace controller."""

from __future__ import annotations

import pytest

from lockstep.objects import deployment
from tests.world.kit import Object, Town, play

RS = "/apis/apps/v1/namespaces/default/replicasets"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def delete_owner(town: Town, policy: str = "Background", name: str = "web") -> None:
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": policy}
    town.send("DELETE", f"{RS}/{name}", options)


def owner_exists(town: Town, name: str = "web") -> bool:
    return town.server.find("replicasets.apps", "default", name) is not None


def test_background_deletion_takes_the_dependents_along() -> None:
    async def body(town: Town) -> None:
        town.pods_of(town.owner(), 3)
        await town.rest()
        (stranger,) = town.pods_of(town.owner("other"))
        delete_owner(town)
        assert not owner_exists(town)
        await town.rest()
        assert [one["metadata"]["uid"] for one in town.pods()] == [stranger["metadata"]["uid"]]

    deletes = play(body).writes("garbage-collector", "delete")
    assert len(deletes) == 3
    assert all(write.body["propagationPolicy"] == "Background" for write in deletes)
    for write in deletes:
        assert write.before is not None
        assert write.body["preconditions"]["uid"] == write.before["metadata"]["uid"]


def test_deletion_cascades_down_several_levels() -> None:
    async def body(town: Town) -> None:
        top = town.send("POST", DEPLOYMENTS, deployment("top"))
        town.pods_of(town.owner(owner=top), 2)
        await town.rest()
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        town.send("DELETE", f"{DEPLOYMENTS}/top", options)
        await town.rest()
        assert not owner_exists(town)
        assert town.pods() == []

    play(body)


def test_foreground_deletion_waits_for_blocking_dependents() -> None:
    async def body(town: Town) -> None:
        town.pods_of(town.owner(), 2)
        await town.rest()
        at = town.at
        delete_owner(town, "Foreground")
        await town.sleep(0.5)
        assert owner_exists(town)
        assert all("deletionTimestamp" in one["metadata"] for one in town.pods())
        await town.rest()
        assert not owner_exists(town)
        assert town.pods() == []
        assert town.at == at + 1

    play(body)


def test_foreground_deletion_passes_on_to_dependents_that_have_dependents() -> None:
    async def body(town: Town) -> None:
        top = town.send("POST", DEPLOYMENTS, deployment("top"))
        town.pods_of(town.owner(owner=top), 2)
        await town.rest()
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Foreground"}
        town.send("DELETE", f"{DEPLOYMENTS}/top", options)
        await town.sleep(0.5)
        middle = town.server.find("replicasets.apps", "default", "web")
        assert middle is not None
        assert middle["metadata"]["finalizers"] == ["foregroundDeletion"]
        assert town.server.find("deployments.apps", "default", "top") is not None
        await town.rest()
        assert town.server.find("deployments.apps", "default", "top") is None
        assert not owner_exists(town)
        assert town.pods() == []

    play(body)


def test_orphaned_dependents_stay_without_their_owner() -> None:
    async def body(town: Town) -> None:
        town.pods_of(town.owner(), 2)
        await town.rest()
        delete_owner(town, "Orphan")
        assert owner_exists(town)
        await town.rest()
        assert not owner_exists(town)
        assert [one["metadata"].get("ownerReferences", []) for one in town.pods()] == [[], []]
        assert not any("deletionTimestamp" in one["metadata"] for one in town.pods())

    play(body)


def test_a_pod_of_a_vanished_owner_is_collected() -> None:
    async def body(town: Town) -> None:
        gone = town.owner()
        delete_owner(town)
        again = town.owner()
        assert again["metadata"]["uid"] != gone["metadata"]["uid"]
        (late,), (kept,) = town.pods_of(gone), town.pods_of(again)
        await town.rest()
        assert town.live(late) is None
        assert town.live(kept) is not None

    play(body)


def test_an_owner_of_unknown_kind_is_left_alone() -> None:
    async def body(town: Town) -> None:
        (one,) = town.pods_of({"apiVersion": "x.example/v1", "kind": "Thing", "metadata": {"name": "t", "uid": "u"}})
        await town.rest()
        assert town.live(one) is not None

    play(body)


def test_one_living_owner_is_enough_and_the_dead_one_is_dropped() -> None:
    async def body(town: Town) -> None:
        living, dying = town.owner("living"), town.owner("dying")
        reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "dying", "uid": dying["metadata"]["uid"]}
        (one,) = town.pods_of(living)
        references = [*town.now(one)["metadata"]["ownerReferences"], reference]
        patch = {"metadata": {"ownerReferences": references}}
        town.send("PATCH", town.path(one), patch, "application/merge-patch+json")
        await town.rest()
        delete_owner(town, name="dying")
        await town.rest()
        assert [ref["name"] for ref in town.now(one)["metadata"]["ownerReferences"]] == ["living"]

    play(body)


def test_switched_off_it_takes_notes_and_acts_when_it_is_on_again() -> None:
    async def body(town: Town) -> None:
        town.world.garbage_collector.enabled = False
        (one,) = town.pods_of(town.owner())
        await town.rest()
        delete_owner(town)
        await town.rest()
        assert not town.world.pending()
        assert "deletionTimestamp" not in town.now(one)["metadata"]
        town.world.garbage_collector.enabled = True
        await town.rest()
        assert town.live(one) is None

    play(body)


@pytest.mark.parametrize("delay", [0.0, 3.0])
def test_delay_is_kept(delay: float) -> None:
    async def body(town: Town) -> None:
        town.world.garbage_collector.delay = delay
        town.pods_of(town.owner())
        await town.sleep(10)
        delete_owner(town)
        await town.rest()

    (write,) = play(body).writes("garbage-collector", "delete")
    assert write.at == (10 + delay) * 10**9


def test_objects_of_a_defined_kind_are_collected_too() -> None:
    async def body(town: Town) -> None:
        town.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", _definition())
        await town.sleep(0)
        await town.rest()
        reference = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": "web",
            "uid": town.owner()["metadata"]["uid"],
        }
        metadata = {"name": "t", "namespace": "default", "ownerReferences": [reference]}
        thing = {"apiVersion": "x.example/v1", "kind": "Thing", "metadata": metadata}
        town.send("POST", "/apis/x.example/v1/namespaces/default/things", thing)
        await town.rest()
        assert town.server.find("things.x.example", "default", "t") is not None
        delete_owner(town)
        await town.rest()
        assert town.server.find("things.x.example", "default", "t") is None

    play(body)


def _definition() -> Object:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.x.example"},
        "spec": {"group": "x.example", "scope": "Namespaced", "names": names, "versions": [version]},
    }


def test_a_deleted_namespace_is_emptied_and_let_go() -> None:
    async def body(town: Town) -> None:
        town.send("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p", "namespace": "shop"},
            "spec": {"containers": [{"name": "main", "image": "i"}]},
        }
        town.send("POST", "/api/v1/namespaces/shop/pods", pod)
        await town.rest()
        town.send("DELETE", "/api/v1/namespaces/shop")
        await town.sleep(0.5)
        assert town.server.find("namespaces", "", "shop") is not None
        await town.rest()
        assert town.server.find("pods", "shop", "p") is None
        assert town.server.find("namespaces", "", "shop") is None
        assert town.at == 3

    play(body)

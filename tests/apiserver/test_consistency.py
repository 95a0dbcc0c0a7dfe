"""Whatever is written: lists, watches and reads of the past agree."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from lockstep.apiserver import Watch
from tests.apiserver.kit import MERGE, PODS, Client, pod

Objects = dict[str, dict[str, Any]]


def listed(client: Client, as_of: int | None = None, **query: str) -> Objects:
    reply = client.call("GET", PODS, as_of=as_of, **query)
    assert reply.body is not None
    return {item["metadata"]["name"]: item for item in reply.body["items"]}


def followed(watch: Watch, known: Objects) -> Objects:
    """What a client knows that applies every event, and checks that each makes sense to it."""
    for event in watch.events:
        name = event.object["metadata"]["name"]
        assert (name in known) is (event.type != "ADDED"), (event.type, name)
        if event.type == "DELETED":
            del known[name]
        else:
            known[name] = event.object
    watch.events.clear()
    return known


def random_write(client: Client, random: Random) -> None:
    name = random.choice("abcdef")
    colour = random.choice(["red", "blue"])
    match random.randrange(6):
        case 0 | 1:
            client.call("POST", PODS, pod(name, labels={"colour": colour}, finalizers=["x/y"] * random.randrange(2)))
        case 2:
            client.call("PATCH", f"{PODS}/{name}", {"metadata": {"labels": {"colour": colour}}}, MERGE)
        case 3:
            client.call("PATCH", f"{PODS}/{name}", {"metadata": {"finalizers": None}}, MERGE)
        case 4:
            client.call("POST", f"{PODS}/{name}/binding", {"metadata": {"name": name}, "target": {"name": "n1"}})
        case _:
            options = random.choice([None, {"gracePeriodSeconds": 0}, {"propagationPolicy": "Foreground"}])
            client.call("DELETE", f"{PODS}/{name}", options)


@pytest.mark.parametrize("seed", range(20))
def test_watches_and_lists_agree(client: Client, seed: int) -> None:
    random = Random(seed)
    red = {"labelSelector": "colour=red"}
    everything, only_red = client.watch(PODS), client.watch(PODS, None, **red)
    known: Objects = {}
    known_red: Objects = {}
    past: dict[int, Objects] = {}
    for _ in range(60):
        client.advance(random.random() * 20)
        random_write(client, random)
        known, known_red = followed(everything, known), followed(only_red, known_red)
        assert known == listed(client)
        assert known_red == listed(client, None, **red)
        past[client.server.resource_version] = dict(known)
    for version, then in past.items():
        assert listed(client, as_of=version) == then
        late = client.watch(PODS, resourceVersion=str(version))
        assert followed(late, dict(then)) == known
    versions = [int(item["metadata"]["resourceVersion"]) for item in known.values()]
    assert len(set(versions)) == len(versions)

from __future__ import annotations

from typing import Any

from lockstep.trace.compare import Tolerance, compare
from lockstep.trace.explain import WIDTH, explain
from lockstep.trace.ledger import Judged, Ledger
from lockstep.trace.normalise import normalise

MUST = "On scale-down the controller MUST delete the pods that upstream's ranking puts first, and no others."
NAMES = ("upstream 1.36.3 (recorded)", "reference")
COMMAND = "lockstep run replicaset/scale-down-ranking --seed 7"


def run(make_story: Any, *, wrong: str = "", salt: str = "a") -> Any:
    builder = make_story(salt)
    builder.at(1).replica_set(replicas=2)
    old = builder.create_pod()
    builder.event("SuccessfulCreate", f"Created pod: {old}")
    builder.at(2).run_pod(old)
    young = builder.at(4).create_pod()
    builder.event("SuccessfulCreate", f"Created pod: {young}")
    builder.set_status(replicas=2)
    builder.at(6).run_pod(young)
    builder.at(12.345).change("replicasets.apps", "web", spec={"replicas": 1})
    victim = old if wrong == "victim" else young
    if wrong != "nothing":
        builder.delete_pod(victim)
        builder.event("SuccessfulDelete", f"Deleted pod: {victim}")
    if wrong != "status":
        builder.set_status(replicas=1)
    builder.at(20).set_status(readyReplicas=1 if wrong != "status" else 2)
    return normalise(builder.history)


def render(make_story: Any, wrong: str, *tolerance: Tolerance) -> str:
    found = compare(run(make_story), run(make_story, wrong=wrong, salt="b"), tolerance)
    judged = Ledger().judge("replicaset/scale-down-ranking", "1.36.3", True, found)
    return explain(judged, "replicaset/scale-down-ranking", MUST, NAMES, COMMAND)


HEAD = """\
replicaset/scale-down-ranking
  Rule: On scale-down the controller MUST delete the pods that upstream's
        ranking puts first, and no others.

  expected = upstream 1.36.3 (recorded)
  got      = reference
"""
TAIL = """
  Just before, both did:

    +1.000 s  create pods web#1
    +4.000 s  create pods web#2
    +4.000 s  status of replicasets.apps web: replicas=2

  Reproduce: lockstep run replicaset/scale-down-ranking --seed 7"""


def test_a_wrong_victim(make_story: Any) -> None:
    assert (
        render(make_story, "victim")
        == HEAD
        + """
  The first difference is at +12.345 s:

    pods web#2 / pods web#1
     object
      expected  web#2
      got       web#1
     pod.created
      expected  +4
      got       +1
     pod.ready
      expected  +6
      got       +2

    event on ReplicaSet web
     message
      expected  Deleted pod: web#2
      got       Deleted pod: web#1

  Not shown: 2 more differences at 1 later instant, most likely consequences of
  the first.
"""
        + TAIL
    )


def test_a_wrong_status(make_story: Any) -> None:
    assert (
        render(make_story, "status")
        == HEAD
        + """
  The first difference is at +12.345 s:

    replicasets.apps web
     status.replicas
      expected  1
      got       2

  Not shown: 3 more differences at 2 later instants, most likely consequences of
  the first.
"""
        + TAIL
    )


def test_nothing_done_and_a_tolerance(make_story: Any) -> None:
    text = render(make_story, "nothing", Tolerance("status.*", 0.5))
    assert (
        text
        == HEAD
        + """
  The first difference is at +12.345 s:

    pods web#2
      expected  delete pods web#2 (Running, ready since +6 s, created +4 s)
      got       nothing of the kind

    event on ReplicaSet web
      expected  Normal event on ReplicaSet web: SuccessfulDelete "Deleted pod:
                web#2"
      got       nothing of the kind

  Not shown: 1 more difference at 1 later instant, most likely consequences of
  the first.
"""
        + TAIL.replace("\n  Reproduce", "\n  Declared tolerance: status.* ±0.5.\n\n  Reproduce")
    )
    assert max(len(line) for line in text.splitlines()) <= WIDTH


def test_a_known_difference_that_is_gone(make_story: Any) -> None:
    same = compare(run(make_story), run(make_story))
    text = explain(Judged((), ("KD-002",), ("KD-001",), same), "replicaset/a", "It MUST.", NAMES, COMMAND)
    assert (
        text
        == """\
replicaset/a
  Rule: It MUST.

  Known difference KD-001 is gone: this scenario no longer shows it. Take the
  scenario out of the entry, or remove the entry if it was the last one.

  Known differences, not shown: KD-002.

  Reproduce: lockstep run replicaset/scale-down-ranking --seed 7"""
    )


def test_many_differences_are_cut_short_and_counted(make_story: Any) -> None:
    left, right = make_story(), make_story()
    for number in range(20):
        left.at(1).replica_set(f"rs-{number:02}")
        left.at(2).create_pod(f"rs-{number:02}")
    found = compare(normalise(left.history), normalise(right.history))
    text = explain(Ledger().judge("a/b", "1.36.3", True, found), "a/b", MUST, NAMES, COMMAND)
    assert "... and 8 more differences at this instant." in text
    assert "Before that, neither of them did anything." in text
    assert text.count("create pods") == 12

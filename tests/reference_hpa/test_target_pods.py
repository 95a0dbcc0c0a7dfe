"""Selectors of targets: horizontal.go, validateAndParseSelector."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.selector_parser import parse
from lockstep_reference.hpa.pod_lister import PodLister
from lockstep_reference.hpa.target_pods import BadSelector, TargetPods
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, namespace_index


class Pods:
    """A cache of pods that a test fills."""

    def __init__(self) -> None:
        self.indexer = Indexer({NAMESPACE_INDEX: namespace_index})
        self.lister = PodLister(self.indexer)
        self._version = 0

    def add(self, name: str, namespace: str = "default", **labels: str) -> dict[str, Any]:
        self._version += 1
        metadata = {"name": name, "namespace": namespace, "labels": labels, "resourceVersion": str(self._version)}
        pod = {"metadata": metadata}
        self.indexer.update(pod)
        return pod


@pytest.fixture
def pods() -> Pods:
    return Pods()


def refused(target_pods: TargetPods, key: str, selector: str) -> BadSelector:
    with pytest.raises(BadSelector) as caught:
        target_pods.validate_and_parse_selector(key, selector)
    return caught.value


def test_pods_are_listed_anew_only_after_a_change(pods: Pods) -> None:
    first = pods.add("a", app="web")
    pods.add("b", namespace="other", app="web")
    pods.add("c", app="db")
    listed = pods.lister.list("default", parse("app=web"))
    assert listed == [first]
    assert pods.lister.list("default", parse("app=web")) is listed
    second = pods.add("d", app="web")
    assert pods.lister.list("default", parse("app=web")) == [first, second]


def test_changes_of_other_pods_leave_the_list_as_it_is(pods: Pods) -> None:
    pods.add("a", app="web")
    listed = pods.lister.list("default", parse("app=web"))
    pods.add("b", app="db")
    assert pods.lister.list("default", parse("app=web")) is listed
    changed = pods.add("a", app="web", tier="front")
    assert pods.lister.list("default", parse("app=web")) == [changed]


def test_selectors_without_a_label_to_look_up(pods: Pods) -> None:
    first, second = pods.add("a", app="web"), pods.add("b")
    pods.add("c", namespace="other")
    assert pods.lister.list("default", parse("!app")) == [second]
    assert pods.lister.list("default", parse("app in (web,db)")) == [first]
    assert pods.lister.list("default", parse("app in (web),tier!=x")) == [first]
    assert pods.lister.list("other", parse("app=web")) == []


def test_a_selector_must_be_there_and_make_sense(pods: Pods) -> None:
    target_pods = TargetPods(pods.lister)
    missing = refused(target_pods, "default/web", "")
    assert (missing.event, str(missing)) == ("SelectorRequired", "selector is required")
    assert (missing.reason, missing.message) == ("InvalidSelector", "the HPA target's scale is missing a selector")
    text = (
        "couldn't convert selector into a corresponding internal selector object: unable to parse requirement: "
        "found '', expected: ',' or ')'"
    )
    wrong = refused(target_pods, "default/web", "a in (x")
    assert (wrong.event, wrong.reason, wrong.message, str(wrong)) == ("InvalidSelector", "InvalidSelector", text, text)


def test_two_hpas_of_the_same_pods(pods: Pods) -> None:
    target_pods = TargetPods(pods.lister)
    target_pods.add("default/one")
    target_pods.add("default/two")
    pods.add("a", app="web", tier="front")
    assert str(target_pods.validate_and_parse_selector("default/one", "app=web")) == "app=web"
    text = "pods by selector tier=front are controlled by multiple HPAs: [default/one default/two]"
    ambiguous = refused(target_pods, "default/two", "tier=front")
    assert (ambiguous.event, ambiguous.reason) == ("AmbiguousSelector", "AmbiguousSelector")
    assert ambiguous.message == str(ambiguous) == text
    refused(target_pods, "default/one", "app=web")  # now that the other one's selector is known
    target_pods.delete("default/two")
    target_pods.validate_and_parse_selector("default/one", "app=web")


def test_only_pods_that_are_there_are_shared(pods: Pods) -> None:
    target_pods = TargetPods(pods.lister)
    for key, selector in (("default/one", "app=web"), ("default/two", "tier=front")):
        target_pods.add(key)
        target_pods.validate_and_parse_selector(key, selector)
    pods.add("a", app="web")
    pods.add("b", namespace="other", app="web", tier="front")
    target_pods.validate_and_parse_selector("default/one", "app=web")
    pods.add("c", app="web", tier="front")
    refused(target_pods, "default/one", "app=web")


def test_an_hpa_that_is_gone_by_now_is_not_remembered(pods: Pods) -> None:
    target_pods = TargetPods(pods.lister)
    target_pods.add("default/two")
    pods.add("a", app="web")
    target_pods.validate_and_parse_selector("default/one", "app=web")
    target_pods.validate_and_parse_selector("default/two", "app=web")


def test_an_hpa_keeps_its_selector_when_it_is_seen_again(pods: Pods) -> None:
    target_pods = TargetPods(pods.lister)
    for key in ("default/one", "default/two"):
        target_pods.add(key)
        target_pods.validate_and_parse_selector(key, "app=web")
    target_pods.add("default/one")
    pods.add("a", app="web")
    refused(target_pods, "default/two", "app=web")

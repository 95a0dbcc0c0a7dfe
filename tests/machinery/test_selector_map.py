"""Which selectors select given objects: pkg/controller/util/selectors/bimultimap.go."""

from __future__ import annotations

import random

from lockstep.wire.selector_parser import parse
from lockstep.wire.selectors import Selector
from lockstep_reference.machinery.selector_map import SelectorMap


def pods(*labels: dict[str, str] | None) -> list[dict[str, object]]:
    return [{"metadata": {} if one is None else {"labels": one}} for one in labels]


def filled(**selectors: str) -> SelectorMap:
    known = SelectorMap()
    for name, text in selectors.items():
        known.put(f"default/{name}", parse(text))
    return known


def test_by_equality_and_by_anything_else() -> None:
    known = filled(a="app=web", b="app in (web),tier!=x", c="!app", d="app notin (db)", e="tier in (x,y)")
    assert known.selecting("default", pods({"app": "web"})) == ["default/a", "default/b", "default/d"]
    assert known.selecting("default", pods({"app": "db", "tier": "x"})) == ["default/e"]
    assert known.selecting("default", pods(None)) == ["default/c", "default/d"]
    assert known.selecting("default", pods({"app": "web"}, {"app": "web"}, {"tier": "y"})) == [
        f"default/{name}" for name in "abcde"
    ]
    assert known.selecting("default", []) == []


def test_only_those_of_the_namespace() -> None:
    known = filled(a="app=web")
    known.put("other/b", parse("app=web"))
    assert known.selecting("other", pods({"app": "web"})) == ["other/b"]
    assert known.selecting("third", pods({"app": "web"})) == []


def test_nothing_until_a_selector_is_known() -> None:
    known = SelectorMap()
    known.put("default/a")
    assert "default/a" in known
    assert known.selecting("default", pods({"app": "web"}, None)) == []
    known.put("default/a", parse("app=web"))
    known.put("default/a", parse("app=db"))
    assert known.selecting("default", pods({"app": "web"})) == []
    assert known.selecting("default", pods({"app": "db"})) == ["default/a"]
    known.delete("default/a")
    known.delete("default/a")
    assert "default/a" not in known
    assert known.selecting("default", pods({"app": "db"})) == []


def test_the_generation_changes_with_the_selectors() -> None:
    known = filled(a="app=web")
    before = known.generation
    known.put("default/a", parse("app=web"))
    assert known.generation == before
    known.put("default/a", parse("app=db"))
    assert known.generation > before


def test_against_comparing_with_every_selector() -> None:
    rng = random.Random(7)
    texts = ["a=1", "a=2,b=1", "b in (1,2)", "!a", "a", "a!=1", "b=1,a=1", "a in (1)"]
    known = SelectorMap()
    selectors: dict[str, Selector] = {}
    for _ in range(500):
        key = f"default/{rng.randrange(8)}"
        if rng.random() < 0.3:
            known.delete(key)
            selectors.pop(key, None)
        else:
            selectors[key] = parse(rng.choice(texts))
            known.put(key, selectors[key])
        labels = [{name: rng.choice("12") for name in "ab" if rng.random() < 0.6} for _ in range(3)]
        expected = sorted(key for key, selector in selectors.items() if any(map(selector.matches, labels)))
        assert known.selecting("default", pods(*labels)) == expected

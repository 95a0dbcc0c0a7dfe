"""Several implementations in one run, and what is said of controllers that a release does not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from lockstep.implementations.mixed import Mixed
from lockstep.implementations.reference import Reference
from lockstep.implementations.registry import (
    UsageError,
    check_spec,
    lacking,
    open_implementation,
    parse_mix,
    release_of,
)
from lockstep.network.calls import REFUSED, CallAnswer
from lockstep.runs.availability import available
from lockstep.runs.config import RunConfig
from lockstep.scenarios.declare import Scenario
from lockstep.trace.recordings import Provenance
from tests.core.kit import scenario_of


class _Side:
    """Records its calls."""

    def __init__(self, name: str) -> None:
        self.spec = name
        self.calls: list[str] = []
        self.errors = [f"{name} grumbles"]
        self.failure: str | None = None

    def attach(self, *_: Any) -> _Side:
        self.calls.append("attach")
        return self

    def start(self, controller: str) -> None:
        self.calls.append(f"start {controller}")

    def crash(self, controller: str) -> None:
        self.calls.append(f"crash {controller}")

    def serve(
        self, controller: str, method: str, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer
    ) -> Callable[[], None]:
        self.calls.append(f"serve {controller}")
        answer(REFUSED)
        return lambda: None

    def end(self) -> None:
        self.calls.append("end")

    def provenance(self, seed: int) -> Provenance:
        return Provenance(self.spec, "1.36.3", "h1:abc", "go1.26.8", "0.1.0", seed, "2026-11-21")

    def close(self) -> None:
        self.calls.append("close")


def test_each_controller_is_run_by_its_own_side() -> None:
    base, other = _Side("base"), _Side("other")
    mixed = Mixed("base,hpa=other", base, {"hpa": other, "vpa-updater": other})
    controllers = mixed.attach(None, None, None, 0)  # type: ignore[arg-type]
    for name in ("replicaset", "hpa"):
        controllers.start(name)
    controllers.serve("vpa-updater", "POST", "/", {}, b"", lambda _: None)
    controllers.crash("hpa")
    controllers.end()
    mixed.close()
    assert base.calls == ["attach", "start replicaset", "end", "close"]
    assert other.calls == ["attach", "start hpa", "serve vpa-updater", "crash hpa", "end", "close"]
    assert controllers.errors == ["base grumbles", "other grumbles"]
    assert controllers.failure is None
    other.failure = "it ended"
    assert controllers.failure == "it ended"


def test_a_mix_is_no_evidence_of_upstream() -> None:
    mixed = Mixed("upstream,hpa=reference", _Side("upstream"), {"hpa": _Side("reference")})
    assert mixed.provenance(0).implementation == "upstream,hpa=reference"


def test_a_recording_says_who_stood_in() -> None:
    mixed = Mixed("upstream", _Side("upstream"), {"hpa": _Side("reference")}, substitute=True)
    controllers = mixed.attach(None, None, None, 0)  # type: ignore[arg-type]
    controllers.start("vpa-updater")
    assert (mixed.provenance(0).implementation, mixed.provenance(0).substitutes) == ("upstream", "")
    controllers.start("hpa")
    assert mixed.provenance(0).substitutes == "hpa: reference"
    mixed.attach(None, None, None, 0)  # type: ignore[arg-type]
    assert mixed.provenance(0).substitutes == ""


def test_specs_of_mixes() -> None:
    assert parse_mix("reference") == ("reference", {})
    assert parse_mix("upstream,vpa=reference,vpa-updater=upstream:1.36.3")[1] == {
        "vpa-recommender": "reference",
        "vpa-updater": "upstream:1.36.3",
        "vpa-admission": "reference",
    }
    assert release_of("reference,hpa=upstream:1.34.4") == "1.34.4"
    assert release_of("upstream,hpa=reference") is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("upstream,hpa", "'hpa' is not CONTROLLER=NAME"),
        ("upstream,cronjob=reference", "the controllers are replicaset, hpa"),
        ("upstream,hpa=referee", "unknown implementation 'referee'"),
        ("upstream:1.36.3,hpa=upstream:1.34.4", "one release of upstream, not upstream:1.34.4 and upstream:1.36.3"),
    ],
)
def test_specs_that_make_no_sense(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_spec(spec)


def test_all_by_the_reference_is_the_reference() -> None:
    assert isinstance(open_implementation("reference", "1.36.3", print), Reference)
    assert isinstance(open_implementation("reference,hpa=reference", "1.36.3", print), Mixed)


def test_what_a_release_lacks() -> None:
    assert lacking("reference", "1.34.4") == frozenset()
    assert lacking("upstream", "1.36.3") == frozenset()
    assert lacking("upstream:vpa-1.8.1", "1.36.3") == {"replicaset", "hpa"}
    assert lacking("upstream:1.34.4,vpa=reference", "1.36.3") == frozenset()


def _scenarios() -> list[Scenario]:
    async def body(_: object) -> None: ...

    return [
        scenario_of(body, id="hpa/a", controllers=("hpa", "replicaset")),
        scenario_of(body, id="vpa-updater/b", controllers=("vpa-updater", "replicaset")),
    ]


def _left(implementation: str, **options: Any) -> tuple[list[str], list[tuple[str, str]]]:
    found = available(RunConfig.parse(implementation=implementation, **options), _scenarios())
    return [one.id for one in found.scenarios], found.facts


def test_scenarios_about_what_a_release_lacks_are_left_out_and_that_is_said() -> None:
    assert _left("reference") == (["hpa/a", "vpa-updater/b"], [])
    assert _left("reference", release="1.34.4", against="none") == (["hpa/a", "vpa-updater/b"], [])
    said = [("left out", "1 scenario: upstream 1.34.4 has no vpa-updater")]
    assert _left("reference", release="1.34.4") == (["hpa/a"], said)
    assert _left("upstream:1.34.4", against="none") == (["hpa/a"], said)
    assert _left("upstream:vpa-1.8.1") == (
        ["vpa-updater/b"],
        [
            ("left out", "1 scenario: upstream vpa-1.8.1 has no hpa"),
            ("by reference", "replicaset: upstream vpa-1.8.1 has none"),
        ],
    )

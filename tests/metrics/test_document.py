"""What docs/metrics.md shows in its tables can be written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from lockstep import metrics, objects
from lockstep.metrics import Curve, each
from tests.metrics.kit import Metered, play

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
CURVE = metrics.constant(1)
NAMES: dict[str, Any] = {
    **{name: getattr(metrics, name) for name in metrics.__all__},
    **dict.fromkeys(("curve", "first", "second"), CURVE),
}


def shown(heading: str) -> list[str]:
    """The code in the first column of the tables of a section."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"docs/metrics.md has no section {heading!r}"
    rows = [line.split("|")[1] for line in found[1].splitlines() if line.startswith("| `")]
    assert rows, f"the section {heading!r} shows nothing"
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row)]


@pytest.mark.parametrize("code", shown("Curves"))
def test_a_curve(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "load.csv").write_text("0,1\n10,2\n", encoding="utf-8")
    series = b'{"data": {"result": [{"metric": {"job": "web"}, "values": [[0, "1"], [5, "2"]]}]}}'
    (tmp_path / "range.json").write_bytes(series)
    assert isinstance(eval(code, {**NAMES, "path": tmp_path / "range.json"})(3), float)  # noqa: S307


@pytest.mark.parametrize("code", shown("The autoscaler"))
def test_a_builder(code: str) -> None:
    made = eval(code.replace("[...]", "[]"), {name: getattr(objects, name) for name in objects.__all__})  # noqa: S307
    assert isinstance(made, dict)


@pytest.mark.parametrize("code", shown("Load models"))
def test_an_argument_of_a_load(code: str) -> None:
    async def body(town: Metered) -> None:
        eval(f'metrics.load("web", {code})', {**NAMES, "metrics": town.metrics})  # noqa: S307
        town.web(1)
        await town.until(30)
        assert len(town.entries()) == 1

    play(body)


SAYINGS = ("From usage to answer", "Exact tables", "Custom and external metrics")


@pytest.mark.parametrize("code", [code for heading in SAYINGS for code in shown(heading)])
def test_a_saying(code: str) -> None:
    async def body(town: Metered) -> None:
        call = code.removeprefix("cluster.metrics.")
        eval(f"metrics.{call}", {**NAMES, "metrics": town.metrics})  # noqa: S307

    play(body)


FAULTS = [code for code in shown("What can go wrong") if "(" in code]


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_changes_what_is_answered(code: str) -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(metrics.ramp(0, 1000, 0, 1000)), container="app")
        town.metrics.pods("http", "web", each(1))
        town.web(2, ("app",))
        await town.until(30)
        questions: list[tuple[str, dict[str, str]]] = [
            ("/apis", {}),
            ("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods", {}),
        ]
        if code.startswith("freeze"):
            eval(f"metrics.{code}", {**NAMES, "metrics": town.metrics})  # noqa: S307
            before = town.used(container="app")
            await town.until(60)
            assert town.used(container="app")[0] == before[0]
            return
        before = [town.ask(path, **query).raw() for path, query in questions]
        eval(f"metrics.{code}", {**NAMES, "metrics": town.metrics})  # noqa: S307
        after = [town.ask(path, **query).raw() for path, query in questions]
        assert after != before

    play(body)


def test_every_public_name_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    public = [name for name in dir(metrics.Metrics) if not name.startswith("_") and name != "begin"]
    missing = [name for name in (*public, *metrics.__all__) if f"{name}" not in text]
    assert missing == []
    assert isinstance(CURVE, Curve)

"""`lockstep mutants`: green only if there were mutants and none survived."""

from __future__ import annotations

import pytest

from lockstep.cli import main
from lockstep.quality import mutants
from lockstep.quality.mutants.proof import Result

CAUGHT = Result("upstream/hpa/no-limit", "There is no limit.", ("hpa/burst",), "got 5", 1, 4.0)
SURVIVOR = Result("reference/hpa/late", "It is late.", (), "", 180, 9.0)


@pytest.mark.parametrize(
    ("results", "code", "last"),
    [
        ([CAUGHT], 0, "green: all 1 mutants were caught"),
        ([CAUGHT, SURVIVOR], 1, "not green: 1 of 2 were not caught"),
        ([], 1, "not green: there was no mutant to catch"),
    ],
)
def test_the_last_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], results: list[Result], code: int, last: str
) -> None:
    asked: list[tuple[object, ...]] = []

    def fake(*arguments: object, suite: bool) -> list[Result]:
        asked.append((arguments[0], *arguments[2:], suite))
        return results

    monkeypatch.setattr(mutants, "mutants", fake)
    assert main(["mutants", "no-*", "--of", "upstream", "--controller", "hpa"]) == code
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == last
    assert asked == [(("no-*",), "upstream", "hpa", False)]
    assert [line.split() for line in out if "caught  " in line] == [
        ["upstream/hpa/no-limit", "caught", "hpa/burst"] for one in results if one is CAUGHT
    ]
    survived = "reference/hpa/late passed all 180 scenarios: It is late."
    assert (survived in out) == (SURVIVOR in results)


def test_a_name_without_a_mutant_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "no-such-mistake"]) == 2
    assert capsys.readouterr().err == (
        "lockstep: no mutant matches 'no-such-mistake'; without a name, all of them run\n"
    )

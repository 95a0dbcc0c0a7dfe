"""What docs/serving.md shows as a test is one, and passes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "serving.md"


def test_the_test_on_the_page_passes(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    found = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    pytester.makepyfile(found[0])
    pytester.runpytest_subprocess("-p", "harness.pytest_plugin").assert_outcomes(passed=1)

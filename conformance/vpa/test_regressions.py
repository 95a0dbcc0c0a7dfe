"""Differences that fuzzing once found, replayed: each saved plan is a scenario like any other."""

from __future__ import annotations

from pathlib import Path

from conformance.vpa import plans
from harness.fuzz.regressions import regression_scenarios

_FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

globals().update(regression_scenarios(_FIXTURES, "vpa", plans, __name__))

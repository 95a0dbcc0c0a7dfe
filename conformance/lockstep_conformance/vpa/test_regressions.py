"""Differences that fuzzing once found: each saved plan is replayed as a scenario like any other."""

from __future__ import annotations

from lockstep.project.regressions import regression_scenarios
from lockstep_conformance.vpa import plans
from lockstep_fixtures import ROOT as FIXTURES

globals().update(regression_scenarios(FIXTURES / "regressions", "vpa", plans, __name__))

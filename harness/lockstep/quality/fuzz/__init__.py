"""Differential fuzzing: generated scenarios run by two implementations, compared, shrunk and saved as regressions."""

from lockstep.project.regressions import load_regressions, save_regression
from lockstep.quality.fuzz.engine import FuzzResult, fuzz

__all__ = ["FuzzResult", "fuzz", "load_regressions", "save_regression"]

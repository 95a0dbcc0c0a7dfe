"""Differential fuzzing: generated scenarios run by two implementations, compared, shrunk and saved as regressions."""

from lockstep.quality.fuzz.engine import FuzzResult, fuzz
from lockstep.quality.fuzz.regressions import load_regressions, save_regression

__all__ = ["FuzzResult", "fuzz", "load_regressions", "save_regression"]

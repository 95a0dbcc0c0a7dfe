"""Invariants: what must hold in every run, whatever the scenario. Pure functions over a history."""

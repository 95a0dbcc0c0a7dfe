"""Noise without a generator: a number for each seed, moment and rank, whatever was drawn before."""

from __future__ import annotations

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def deviation(seed: int, moment: int, rank: int) -> float:
    """A number in [-1, 1), uniform, independent of those for other seeds, moments and ranks (splitmix64)."""
    state = seed
    for part in (moment, rank):
        state = _mix((state + _GOLDEN + part) & _MASK)
    return state / (1 << 63) - 1.0


def _mix(state: int) -> int:
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
    return state ^ (state >> 31)

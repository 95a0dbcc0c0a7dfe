"""Logarithms and powers."""

from __future__ import annotations

from typing import Any

from lockstep.implementations.oracle.values import number
from lockstep.wire.elementary import go_exp2, go_ldexp, go_log, go_pow


def answer(question: Any) -> Any:
    """One function of its arguments."""
    function, x = question["f"], question["x"]
    if function == "log":
        return number(go_log(x))
    if function == "exp2":
        return number(go_exp2(x))
    return number(go_pow(x, question["y"]) if function == "pow" else go_ldexp(x, question["y"]))

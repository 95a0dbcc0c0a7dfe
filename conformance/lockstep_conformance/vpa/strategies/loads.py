"""Strategies for the usage of containers: curves, leaks, and sudden peaks."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lockstep_conformance.hpa.strategies.names import LEFT_OUT, Dicts, Json, any_of, rarely, weighted
from lockstep_conformance.vpa.strategies.names import CONTAINERS, WORKLOADS

_SEEDS = (0, 1, 2)
_MOMENTS = (90, 200, 400, 700, 1500)


def _curve(amounts: tuple[float, ...]) -> Json:
    """Curves of all kinds between some amounts."""
    amount = st.sampled_from(amounts)
    steps = st.tuples(amount, st.sampled_from(_MOMENTS), amount)
    base = weighted(
        (3, amount),
        (2, steps.map(lambda drawn: {"curve": "steps", "points": [[0, drawn[0]], [drawn[1], drawn[2]]]})),
        (1, any_of(curve=["ramp"], start=(30, 200), end=(400, 1500), low=amounts, high=amounts)),
        (1, any_of(curve=["wave"], period=(300, 1200), low=amounts, high=amounts)),
    )
    noise = any_of(curve=["noisy"], part=(0.05, 0.3, 0.9), seed=_SEEDS)
    return rarely(base, st.tuples(noise, base).map(lambda drawn: {**drawn[0], "base": drawn[1]}), 4)


_CORES = _curve((0.0, 0.001, 0.05, 0.1, 0.3, 0.3, 0.9, 2.5, 40.0))
_BYTES = _curve((0.0, 1e6, 64e6, 130e6, 250e6, 420e6, 420e6, 1e9, 2e10))
_CPU = st.tuples(
    weighted((3, any_of(how=["each"], noise=(LEFT_OUT, LEFT_OUT, 0.3))), (1, any_of(how=["shared"]))), _CORES
).map(lambda drawn: {**drawn[0], "of": drawn[1]})
_MEMORY = st.tuples(weighted((5, any_of(how=["each"])), (1, any_of(how=["shared"]))), _BYTES).map(
    lambda drawn: {**drawn[0], "of": drawn[1]}
)
_LEAK = any_of(curve=["ramp"], start=[0], end=(300, 1500), low=[0.0], high=(1e8, 5e8))


def _load(name: str, container: str) -> Dicts:
    about = any_of(pods=[{"app": name}], container=[container], startup=(*[LEFT_OUT] * 4, [0.5, 60]))
    plain = st.tuples(_CPU, _MEMORY).map(lambda drawn: {"cpu": drawn[0], "memory": drawn[1]})
    deadly = st.tuples(_CPU, _BYTES, rarely(st.none(), _LEAK, 3)).map(_with_consequences)
    only_cpu = _CPU.map(lambda cpu: {"cpu": cpu})
    used = weighted((4, plain), (3, deadly), (1, only_cpu))
    return st.tuples(about, used).map(lambda drawn: {**drawn[0], **drawn[1]})


def _with_consequences(drawn: tuple[Any, Any, Any]) -> dict[str, Any]:
    cpu, memory, leak = drawn
    used = {"how": "each", "of": memory}
    return {"cpu": cpu, "memory": used if leak is None else {**used, "growth": leak}, "oom": True}


LOADS = {name: [_load(name, container) for container in CONTAINERS] for name in WORKLOADS}
load = weighted(*((1, one) for several in LOADS.values() for one in several))

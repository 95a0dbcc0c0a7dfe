"""Tolerance: ratios close to 1 change nothing. By default up to 0.1 off, in both directions, the bounds included.

The flag of the controller sets it for all HPAs, `behavior.scaleUp.tolerance` and `behavior.scaleDown.tolerance` for one
HPA and direction. All numbers are 64-bit floating point.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep_conformance.hpa.tables import BOTH, Example, unhindered, work_out

_WITHIN = "pkg/controller/podautoscaler/replica_calculator.go: Tolerances.isWithin"
_OF_HPA = "pkg/controller/podautoscaler/horizontal.go: tolerancesForHpa"
_GATE = "HPAConfigurableTolerance"


@scenario(
    "hpa/tolerance-includes-its-bounds",
    must="A ratio of exactly 0.9 or 1.1 MUST change nothing, one just outside MUST change the replicas.",
    source=_WITHIN,
    controllers=BOTH,
)
async def test_tolerance_includes_its_bounds(cluster: Cluster) -> None:
    average = objects.resource_metric("cpu", average="1")
    await work_out(
        cluster,
        {
            "upper-bound": Example(["550m"] * 2, 2, 55),
            "above": Example(["560m"] * 2, 3, 56),
            "lower-bound": Example(["450m"] * 10, 10, 45),
            "below": Example(["440m"] * 10, 9, 44),
            "average-upper-bound": Example(["1100m"] * 2, 2, "1100m", metric=average),
            "average-above": Example(["1101m"] * 2, 3, "1101m", metric=average),
            "average-lower-bound": Example(["900m"] * 10, 10, "900m", metric=average),
            "average-below": Example(["899m"] * 10, 9, "899m", metric=average),
        },
    )


@scenario(
    "hpa/tolerance-of-zero",
    must="With a tolerance of 0, only a ratio of exactly 1 MUST change nothing.",
    source=_WITHIN,
    controllers=BOTH,
    options=Options(hpa=HpaOptions(tolerance=0.0)),
)
async def test_tolerance_of_zero(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "at-target": Example(["500m"] * 2, 2, 50),
            "cut-to-target": Example(["509m"] * 2, 2, 50),
            "above": Example(["510m"] * 2, 3, 51),
            "below": Example(["469m"] * 13, 12, 46),
        },
    )


@scenario(
    "hpa/tolerance-is-a-flag",
    must="The tolerance MUST be that of the controller's flag, in both directions, also for HPAs with a behavior that "
    "says nothing of tolerance.",
    source=(_WITHIN, _OF_HPA),
    controllers=BOTH,
    options=Options(hpa=HpaOptions(tolerance=0.3)),
)
async def test_tolerance_is_a_flag(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "upper-bound": Example(["650m"] * 2, 2, 65),
            "above": Example(["660m"] * 2, 3, 66),
            "lower-bound": Example(["350m"] * 4, 4, 35),
            "below": Example(["340m"] * 4, 3, 34),
        },
    )


@scenario(
    "hpa/tolerance-of-one-hpa",
    must="The tolerance that an HPA's behavior gives for a direction MUST hold in that direction, and MUST NOT change "
    "that of the other.",
    source=_OF_HPA,
    controllers=BOTH,
    options=Options(feature_gates={_GATE: True}),
)
async def test_tolerance_of_one_hpa(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "up-wide": Example(["750m"] * 2, 2, 75, behavior=unhindered(up="500m")),
            "up-wide-above": Example(["760m"] * 2, 4, 76, behavior=unhindered(up="0.5")),
            "up-wide-down": Example(["440m"] * 10, 9, 44, behavior=unhindered(up="0.5")),
            "up-none": Example(["510m"] * 2, 3, 51, behavior=unhindered(up="0")),
            "down-none": Example(["460m"] * 13, 12, 46, behavior=unhindered(down="0")),
            "down-none-up": Example(["550m"] * 2, 2, 55, behavior=unhindered(down="0")),
            "down-wide": Example(["300m"] * 4, 4, 30, behavior=unhindered(down="4e-1")),
            "down-wide-below": Example(["290m"] * 4, 3, 29, behavior=unhindered(down="0.4")),
            "down-whole": Example(["0"] * 4, 4, 0, behavior=unhindered(down="1")),
            "both": Example(["1"] * 2, 2, 100, behavior=unhindered(up="1", down="10m")),
        },
    )


@scenario(
    "hpa/tolerance-bound-is-a-float64",
    must="Bounds MUST be computed in 64-bit floating point: 1 - 0.7 is more than 0.3, so a ratio of 0.3 is outside of "
    "a tolerance of 0.7, but within one of 700m, which is 0.7000000000000001.",
    source=(_WITHIN, "apimachinery/pkg/api/resource/quantity.go: AsApproximateFloat64"),
    controllers=BOTH,
    options=Options(hpa=HpaOptions(tolerance=0.7), feature_gates={_GATE: True}),
)
async def test_tolerance_bound_is_a_float64(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "flag": Example(["150m"] * 4, 2, 15),
            "quantity": Example(["150m"] * 4, 4, 15, behavior=unhindered(down="700m")),
            "exact": Example(["200m"] * 4, 4, 20, behavior=unhindered(down="600m")),
        },
    )


@scenario(
    "hpa/tolerance-without-its-gate",
    must="With HPAConfigurableTolerance off, the tolerance of an HPA's behavior MUST NOT matter.",
    source=_OF_HPA,
    controllers=BOTH,
    options=Options(feature_gates={_GATE: False}),
)
async def test_tolerance_without_its_gate(cluster: Cluster) -> None:
    wide, none = unhindered(up="5", down="900m"), unhindered(up="0", down="0")
    await work_out(
        cluster,
        {
            "grows": Example(["560m"] * 2, 3, 56, behavior=wide),
            "shrinks": Example(["440m"] * 10, 9, 44, behavior=wide),
            "stays": Example(["550m"] * 2, 2, 55, behavior=none),
        },
    )

"""Quantities: all arithmetic is done in whole thousandths, as 64-bit integers, and shown in canonical form.

Each line of a table is what each of two pods has, the target of the average, the replicas, and the average shown.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.steps import reason
from lockstep_conformance.hpa.tables import BOTH, Example, pod_of, requesting, work_out

_QUANTITY = "apimachinery/pkg/api/resource/quantity.go"
_MILLI = f"{_QUANTITY}: MilliValue"
_RATIO = "pkg/controller/podautoscaler/metrics/utilization.go: GetMetricUsageRatio"
_PLAIN = "pkg/controller/podautoscaler/replica_calculator.go: calcPlainMetricReplicas"
Line = tuple[str, str, int, str]


def of_two_pods(*lines: Line) -> dict[str, Example]:
    """Examples of a pods metric, called line-0, line-1 ..."""
    examples = {}
    for number, (amount, target, wanted, shown) in enumerate(lines):
        current = {"averageValue": shown}
        examples[f"line-{number}"] = Example([amount] * 2, wanted, current, metric=_of(target))
    return examples


def _of(target: str) -> Object:
    return objects.pods_metric("requests", target)


@scenario(
    "hpa/quantities-round-up-to-thousandths",
    must="What is less than a thousandth MUST be rounded up to a whole one, away from zero, for each value by itself.",
    source=(_MILLI, "pkg/controller/podautoscaler/metrics/client.go: getPodMetrics"),
    controllers=BOTH,
)
async def test_quantities_round_up_to_thousandths(cluster: Cluster) -> None:
    lines = of_two_pods(
        ("1n", "1m", 2, "1m"),
        ("1u", "1m", 2, "1m"),
        ("1e-10", "1m", 2, "1m"),
        ("1000001n", "1m", 4, "2m"),
        ("0.0010001", "1m", 4, "2m"),
        ("1500u", "1m", 4, "2m"),
        ("123456789n", "124m", 2, "124m"),
        ("-1500u", "1m", 1, "-2m"),
        ("3m", "1500u", 3, "3m"),  # the target is 2m
    )
    pair = pod_of(requesting(), requesting(name="proxy"))
    cores = objects.resource_metric("cpu", average="1m")
    containers = Example([{"app": "1n", "proxy": "1n"}] * 2, 4, "2m", metric=cores, pod=pair)
    await work_out(cluster, lines | {"containers": containers})


@scenario(
    "hpa/quantities-of-every-suffix",
    must="Values and targets MUST be read in every form that a quantity may have, and MUST be shown in the canonical "
    "one.",
    source=(_MILLI, f"{_QUANTITY}: ParseQuantity", f"{_QUANTITY}: CanonicalizeBytes"),
    controllers=BOTH,
)
async def test_quantities_of_every_suffix(cluster: Cluster) -> None:
    await work_out(
        cluster,
        of_two_pods(
            ("1Ki", "512", 4, "1024"),
            ("0.5Mi", "512Ki", 2, "524288"),
            ("1Gi", "1T", 1, "1073741824"),
            ("1.5G", "1500M", 2, "1500M"),
            ("1e3", "0.5k", 4, "1k"),
            ("1E3", "500", 4, "1k"),
            ("12e-1", "600m", 4, "1200m"),
            (".5", "250m", 4, "500m"),
            ("5.", "2500m", 4, "5"),
            ("+5", "25e-1", 4, "5"),
            ("-5", "5", 1, "-5"),
            ("1P", "1e15", 2, "1P"),
        ),
    )


@scenario(
    "hpa/quantities-beyond-64-bits",
    must="A value whose thousandths do not fit into 64 bits MUST count as 0, or as what is left of it in 64 bits, as "
    "apimachinery has it.",
    source=(_MILLI, "apimachinery/pkg/api/resource/scale_int.go: scaledValue"),
    controllers=BOTH,
)
async def test_quantities_beyond_64_bits(cluster: Cluster) -> None:
    await work_out(
        cluster,
        of_two_pods(
            ("10E", "10", 1, "0"),
            ("8E", "10", 1, "0"),
            ("1e30", "10", 1, "0"),
            ("-1e16", "10", 1, "0"),
        )
        | {
            "fits": Example(["9223372036854775"], 1, "9223372036854775", metric=_of("9e15")),
            "wraps": Example(["9223372036854776"], 1, "-9223372036854775616m", metric=_of("1")),
            "all-ones": Example(["9223372036854775807"], 1, "-1", metric=_of("1")),
            "one-bit": Example(["1Ei"], 1, "-9223372036854775808m", metric=_of("1")),
        },
    )


@scenario(
    "hpa/sums-beyond-64-bits",
    must="A sum over the pods that does not fit into 64 bits MUST wrap round: what is far too much then looks like "
    "less than nothing.",
    source=_RATIO,
    controllers=BOTH,
)
async def test_sums_beyond_64_bits(cluster: Cluster) -> None:
    metric = _of("1e15")
    await work_out(
        cluster,
        {
            "fits": Example(["4e15"] * 2, 8, "4P", metric=metric),
            "wraps": Example(["5e15"] * 2, 1, "-4223372036854775808m", metric=metric),
            "wraps-once": Example(["4e15"] * 3, 1, "-2148914691236517205m", metric=metric),
            "cancels-out": Example(["-5", "30"], 1, "12500m", metric=metric),
        },
    )


@scenario(
    "hpa/replicas-beyond-32-bits",
    must="A number of replicas that does not fit into 32 bits MUST become the smallest one, as Go's conversion makes "
    "it on amd64: the HPA shrinks to its minimum.",
    source=_PLAIN,
    issues=("kubernetes/kubernetes#126892", "kubernetes/kubernetes#141397"),
    controllers=BOTH,
)
async def test_replicas_beyond_32_bits(cluster: Cluster) -> None:
    metric = _of("1")
    await work_out(
        cluster,
        {
            "largest": Example(["1073741823"] * 2, 3, "1073741823", metric=metric, maximum=3),  # 2^31 - 2
            "one-more": Example(["1073741824"] * 2, 1, "1073741824", metric=metric, maximum=3),  # 2^31
            "twice": Example(["2147483648"] * 2, 1, "2147483648", metric=metric, maximum=3),  # 2^32
            "far-more": Example(["1e12"] * 2, 1, "1T", metric=metric, maximum=3),
        },
    )
    limited = {name: reason(cluster, "ScalingLimited", name) for name in ("largest", "one-more")}
    wanted = {"largest": "True TooManyReplicas", "one-more": "True TooFewReplicas"}
    cluster.expect("why the replicas are others than computed", limited, wanted)


@scenario(
    "hpa/utilization-beyond-32-bits",
    must="A utilization that does not fit into 32 bits MUST lose its upper bits.",
    source="pkg/controller/podautoscaler/metrics/utilization.go: GetResourceUtilizationRatio",
    controllers=BOTH,
)
async def test_utilization_beyond_32_bits(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "fits": Example(["21474836", "21474836"], 3, 2147483600, maximum=3),
            "wraps": Example(["21474837", "21474837"], 1, -2147483596, maximum=3),
            "wraps-to-little": Example(["42949673", "42949673"], 1, 4, maximum=3),
            "wraps-to-the-target": Example(["42949673460m"], 1, 50, maximum=3),
        },
    )

"""Deliberate differences. Each belongs to a row of the table of limits, and shows in the scenarios that it names.

The table is strict both ways: a difference that no excuse covers fails its scenario, and so does an excuse that covers
nothing there.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass

from lockstep.quality.fidelity.compare import ABSENT, Difference


@dataclass(frozen=True, slots=True)
class Excuse:
    """Why some differences are not bugs.

    `topic`: the row of the table of limits. `paths`: patterns of paths as in `.body.items[*].kind` (a star stands for
    anything, brackets for themselves), for all steps, or for one if a pattern begins with its number. `shown_by`: the
    scenarios that show it; it counts in no other, unless it holds `everywhere`.
    """

    topic: str
    paths: tuple[str, ...]
    shown_by: tuple[str, ...]
    everywhere: bool = False
    #: Only if one side lacks the field.
    absent_here: bool = False
    absent_there: bool = False
    #: Only between texts that both contain this, and are equal up to there.
    equal_until: str = ""
    #: The only target that differs; "" for all.
    target: str = ""

    def takes(self, scenario: str, difference: Difference) -> bool:
        """Whether the excuse covers a difference of a scenario."""
        if not self.everywhere and scenario not in self.shown_by:
            return False
        if (self.absent_here and difference.here != ABSENT) or (self.absent_there and difference.real != ABSENT):
            return False
        if self.equal_until and not self._equal_beginnings(difference):
            return False
        path = difference.path.lstrip("0123456789")
        return any(
            fnmatch.fnmatchcase(difference.path if pattern[0].isdecimal() else path, pattern.replace("[", "[[]"))
            for pattern in self.paths
        )

    def _equal_beginnings(self, difference: Difference) -> bool:
        real, here = str(difference.real), str(difference.here)
        mark = self.equal_until
        return mark in real and real.partition(mark)[:2] == here.partition(mark)[:2]


EXCUSES: tuple[Excuse, ...] = (
    Excuse(
        "Admission",
        ("*.spec.priority", "*.spec.preemptionPolicy", "*.spec.tolerations", "*.spec.tolerations[*]"),
        ("admission/plugins",),
        everywhere=True,
        absent_here=True,
    ),
    Excuse(
        "Empty fields",
        (
            "*.status.conditions[*].lastProbeTime",
            "*.status.conditions[*].lastTransitionTime",
            "*.status.conditions[*].lastUpdateTime",
            "*.eventTime",
            "*.firstTimestamp",
            "*.lastTimestamp",
            "*.deprecatedFirstTimestamp",
            "*.deprecatedLastTimestamp",
            "*ontainerStatuses[*].lastState",
            "*ontainerStatuses[*].state.terminated.startedAt",
            "*ontainerStatuses[*].state.terminated.finishedAt",
        ),
        ("eviction/refused", "pod-status/ended-containers"),
        everywhere=True,
        absent_here=True,
    ),
    Excuse("Empty objects", (".body.spec", ".body.status"), ("deletion/again-in-the-background",), absent_here=True),
    Excuse("Warnings", (".warning",), ("deletion/default-policies",), everywhere=True, absent_here=True),
    Excuse(
        "Pod updates",
        (".body.message", ".body.details.causes[*].message"),
        ("pods/immutable-spec", "pods/ephemeral-containers"),
        everywhere=True,
        equal_until="(allow it to be set to 1 if it was previously negative)",
    ),
    Excuse(
        "Pod updates",
        ("4.body.message", "4.body.details.causes[*].message"),
        ("pods/ephemeral-containers",),
        equal_until="may not be changed",
    ),
    Excuse("Managed fields", (".body.metadata.resourceVersion",), ("pods/resize", "scale/no-op")),
    Excuse(
        "Refused patches",
        (".body.message", ".body.details.causes[*].message"),
        ("identity/kind-mismatch", "patches/json-that-are-none", "patches/merge-that-are-none", "scale/invalid"),
    ),
    Excuse(
        "Quota usage",
        ("*.status.hard", "*.status.used", "*.metadata.resourceVersion"),
        ("deletion/answers", "admission/quota-of-pods", "admission/quota-of-resources"),
    ),
    Excuse("Unknown fields", ("3.*",), ("protocol/field-validation",), target="memory"),
    Excuse("Types of values", ("11.body.message",), ("workloads/invalid-pods",), target="memory"),
    Excuse("Types of values", ("*",), ("applies/wrong-types",)),
    Excuse(
        "Media types",
        (".body.message", ".body.details"),
        ("protocol/accept",),
    ),
    Excuse(
        "Discovery",
        (".body.resources[*].storageVersionHash", ".body.resources[*].categories"),
        ("protocol/discovery-of-resources",),
    ),
    Excuse("Tables", (".body.columnDefinitions[*].description",), ("protocol/tables",)),
    Excuse("Apply conflicts", ("2.*",), ("applies/after-others",)),
    Excuse("Apply of a scale", ("2.*",), ("applies/scales",)),
    Excuse("Custom resource schemas", ("*",), ("definitions/without-schema",)),
    Excuse("Services", ("*",), ("workloads/services",)),
    Excuse("Validation", ("2.*",), ("definitions/invalid",)),
    Excuse("Validation", ("5.*",), ("workloads/jobs",)),
    Excuse(
        "Items of a list",
        ("*.items[*].apiVersion", "*.items[*].kind"),
        ("lists/shape",),
        everywhere=True,
        absent_there=True,
    ),
)


def sort_out(
    scenario: str, target: str, found: list[Difference]
) -> tuple[list[Difference], list[Excuse], list[Excuse]]:
    """The differences that no excuse covers, the excuses that covered some, and those that should have and did not."""
    unexplained: list[Difference] = []
    used: list[Excuse] = []
    usable = [one for one in EXCUSES if one.target in ("", target)]
    for difference in found:
        excuse = next((one for one in usable if one.takes(scenario, difference)), None)
        if excuse is None:
            unexplained.append(difference)
        elif excuse not in used:
            used.append(excuse)
    return unexplained, used, [one for one in usable if scenario in one.shown_by and one not in used]


def shown_by(topic: str) -> list[str]:
    """The scenarios that show a row of the table of limits."""
    return sorted({name for excuse in EXCUSES if excuse.topic == topic for name in excuse.shown_by})

"""Names in generated VPA plans: few, so that the parts of a plan refer to each other."""

from __future__ import annotations

WORKLOADS = ("ant", "bee")
#: VPAs with the name of a workload, and one more.
NAMES = (*WORKLOADS, "cat")
CONTAINERS = ("main", "side")
RECOMMENDER, UPDATER, ADMISSION = "vpa-recommender", "vpa-updater", "vpa-admission"
PARTS = (RECOMMENDER, UPDATER, ADMISSION)

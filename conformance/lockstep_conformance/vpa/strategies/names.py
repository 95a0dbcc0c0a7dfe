"""What generated VPA plans call things: few names, so that the parts of a plan meet."""

from __future__ import annotations

WORKLOADS = ("ant", "bee")
#: VPAs of the same name as a workload, and one more.
NAMES = (*WORKLOADS, "cat")
CONTAINERS = ("main", "side")
RECOMMENDER, UPDATER, ADMISSION = "vpa-recommender", "vpa-updater", "vpa-admission"
PARTS = (RECOMMENDER, UPDATER, ADMISSION)

"""What changed between two reports: pure functions over their JSON values."""

from __future__ import annotations

from typing import Any

from lockstep.runs.config import REPORTED

_COMPARED = ("verdict", "assertions", "writes_compared", "virtual_seconds")


def diff_reports(left: dict[str, Any], right: dict[str, Any]) -> list[str]:
    """The differences between two reports, one per line; wall times are not compared. Runs are paired by position."""
    lines: list[str] = []
    for index in range(max(len(left["runs"]), len(right["runs"]))):
        name = f"run {index + 1}"
        if index >= len(left["runs"]) or index >= len(right["runs"]):
            lines.append(f"{name}: only in the {'second' if index >= len(left['runs']) else 'first'} report")
            continue
        lines.extend(_diff_runs(name, left["runs"][index], right["runs"][index]))
    return lines


def _diff_runs(name: str, left: dict[str, Any], right: dict[str, Any]) -> list[str]:
    lines = [
        f"{name}: {key} {left.get(key)} -> {right.get(key)}" for key in REPORTED if left.get(key) != right.get(key)
    ]
    before = {row["id"]: row for row in left["scenarios"]}
    after = {row["id"]: row for row in right["scenarios"]}
    for scenario in sorted({**before, **after}):
        if scenario not in after:
            lines.append(f"{scenario}: only in the first report ({before[scenario]['verdict']})")
        elif scenario not in before:
            lines.append(f"{scenario}: only in the second report ({after[scenario]['verdict']})")
        else:
            changes = [
                f"{key.replace('_', ' ')} {before[scenario][key]} -> {after[scenario][key]}"
                for key in _COMPARED
                if before[scenario][key] != after[scenario][key]
            ]
            if changes:
                lines.append(f"{scenario}: {', '.join(changes)}")
    return lines

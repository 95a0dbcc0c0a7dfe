"""`divergent` as a separate status: green, but clearly different from a plain pass."""

from __future__ import annotations

from typing import Any

import pytest


class Status:
    """Letter `d`, word DIVERGENT, counted by itself in the last line."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport | pytest.CollectReport) -> Any:
        """The status of a scenario that showed a known divergence; None leaves all others to pytest."""
        row = getattr(report, "lockstep", None)
        if row is not None and row["verdict"] == "divergent" and report.passed:
            return "divergent", "d", ("DIVERGENT", {"yellow": True})
        return None

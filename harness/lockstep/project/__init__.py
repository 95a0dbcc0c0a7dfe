"""The user's repository: where its scenarios, recordings, regressions and ledger lie, and what runs there by default."""

from lockstep.project.settings import BUILT_IN, Evidence, Project, ProjectError, find_project

__all__ = ["BUILT_IN", "Evidence", "Project", "ProjectError", "find_project"]

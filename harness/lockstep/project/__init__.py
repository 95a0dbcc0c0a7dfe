"""The user's repository: its scenarios, its evidence, and its default run."""

from lockstep.project.settings import BUILT_IN, Evidence, Project, ProjectError, find_project

__all__ = ["BUILT_IN", "Evidence", "Project", "ProjectError", "find_project"]

"""The user's repository: its scenarios, its evidence, what runs there by default."""

from lockstep.project.settings import BUILT_IN, Evidence, Project, ProjectError, find_project

__all__ = ["BUILT_IN", "Evidence", "Project", "ProjectError", "find_project"]

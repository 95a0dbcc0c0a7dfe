"""The site that `tox -e docs` builds from these pages: Markdown for people, reference from docstrings and commands."""

from sphinx.application import Sphinx

from lockstep import __version__

project = "Lockstep"
author = "The Lockstep maintainers"
copyright = "The Lockstep maintainers, Apache License 2.0"  # noqa: A001 - Sphinx's name
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_click"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"Lockstep {version}"
html_copy_source = False

# Headings can be linked to as on GitHub.
myst_heading_anchors = 4

# Docstrings write code in single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"


def setup(app: Sphinx) -> None:
    """Let help texts of commands stand as they are: globs such as scale-* are no emphasis."""
    for part in ("description", "usage", "options", "arguments", "epilog"):
        app.connect(f"sphinx-click-process-{part}", _escape)


def _escape(_app: Sphinx, _context: object, lines: list[str]) -> None:
    lines[:] = [line.replace("*", r"\*") for line in lines]

"""The site that `tox -e docs` builds from these pages: Markdown for people, reference from docstrings and commands."""

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

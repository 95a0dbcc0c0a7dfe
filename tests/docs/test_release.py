"""What is said of a release in several places agrees, and the repository's own settings are those that are meant."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.version import Version

import lockstep

ROOT = Path(__file__).parents[2]
_ENTRY = re.compile(r"^## \[(?P<name>[^\]]+)\](?: - (?P<date>\S+))?$", re.MULTILINE)


def entries(changelog: str) -> list[tuple[str, str | None]]:
    """The headings of a changelog, newest first: a version and its day, or Unreleased and None."""
    return [(found["name"], found["date"]) for found in _ENTRY.finditer(changelog)]


def faults(changelog: str, version: str) -> list[str]:
    """What is wrong with the headings of the changelog of a project at this version."""
    found = entries(changelog)
    released = [(name, date) for name, date in found if name != "Unreleased"]
    names = [name for name, _ in released]
    return [
        *(f"{one!r} is no heading of an entry" for one in _headings(changelog) if not _ENTRY.fullmatch(one)),
        *(["Unreleased is not the first entry"] if "Unreleased" in [name for name, _ in found[1:]] else []),
        *([] if names[:1] == [version] else [f"the newest release is {names[:1]}, and the version is {version}"]),
        *([] if names == sorted(set(names), key=Version, reverse=True) else ["releases do not stand newest first"]),
        *(f"{name} has no day" for name, date in released if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date or "")),
    ]


def _headings(changelog: str) -> list[str]:
    return [line for line in changelog.splitlines() if line.startswith("## ")]


def test_the_newest_release_in_the_changelog_is_this_version() -> None:
    assert faults((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), lockstep.__version__) == []


@pytest.mark.parametrize(
    ("changelog", "fault"),
    [
        ("## [0.1.0] - 2026-01-02\n", "the newest release is ['0.1.0'], and the version is 0.2.0"),
        ("## [0.2.0] - soon\n", "0.2.0 has no day"),
        ("## 0.2.0\n## [0.2.0] - 2026-01-02\n", "'## 0.2.0' is no heading of an entry"),
        ("## [0.2.0] - 2026-01-02\n## [Unreleased]\n", "Unreleased is not the first entry"),
        ("## [0.2.0] - 2026-01-02\n## [0.10.0] - 2026-01-02\n", "releases do not stand newest first"),
    ],
)
def test_a_changelog_that_disagrees_is_named(changelog: str, fault: str) -> None:
    assert faults(changelog, "0.2.0") == [fault]


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    stated = (ROOT / project["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(.*)"$', stated, re.MULTILINE) == [lockstep.__version__]


def test_every_python_that_is_promised_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    classifiers = [one.rpartition(" ")[2] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert project["requires-python"] == f">={classifiers[0]}"
    [line] = re.findall(r"^env_list = (.*)$", (ROOT / "tox.ini").read_text(encoding="utf-8"), re.MULTILINE)
    assert [f"py{one.replace('.', '')}" for one in classifiers] == re.findall(r"\bpy\d+", line)
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert re.findall(r'"(3\.\d+)"', workflow) == classifiers


def test_tox_ini_is_where_pytest_is_configured(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.inipath == ROOT / "tox.ini"
    assert pytestconfig.getini("strict") is True
    assert pytestconfig.getini("filterwarnings") == ["error"]

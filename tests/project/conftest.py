"""A repository with one scenario and settings of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.kit import SCENARIO


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.lockstep]\nscenarios = ["tests"]\nagainst = "none"\n')
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_mine.py").write_text(SCENARIO.format(id="myteam/own", name="own", pods=2))
    return tmp_path

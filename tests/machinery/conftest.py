"""Every test here runs in its own small world."""

from __future__ import annotations

import pytest

from tests.machinery.fake_server import World


@pytest.fixture
def world() -> World:
    return World()

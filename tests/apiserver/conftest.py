"""A fresh server for every test."""

from __future__ import annotations

import pytest

from tests.apiserver.kit import Client


@pytest.fixture
def client() -> Client:
    return Client()

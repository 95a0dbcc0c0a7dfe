"""A real upstream process, built if need be and shared by all tests of one worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lockstep.implementations.upstream.build import Built, build
from lockstep.implementations.upstream.process import UpstreamProcess


@pytest.fixture(scope="session")
def built() -> Built:
    """The primary release."""
    return build(progress=print)


@pytest.fixture(scope="session")
def process(built: Built) -> Iterator[UpstreamProcess]:
    with UpstreamProcess.of(built, patience=30) as process:
        yield process

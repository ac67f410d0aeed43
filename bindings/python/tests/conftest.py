"""Models that tests share. ``tools/python.sh`` makes and names their files."""

import os
from collections.abc import Iterator

import akunu
import pytest


@pytest.fixture(scope="session")
def smollm2() -> Iterator[akunu.Model]:
    with akunu.Model("smollm2", context=1024, deterministic=True) as model:
        yield model


@pytest.fixture(scope="session")
def tiny() -> Iterator[akunu.Model]:
    """Random weights with a chat template that knows tools."""
    with akunu.Model(os.environ["AKUNU_TINY"], context=1024, deterministic=True) as model:
        yield model

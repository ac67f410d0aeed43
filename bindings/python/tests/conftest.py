"""Models that tests share. ``tools/python.sh`` makes and names their files."""

import os
import time
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


@pytest.fixture(scope="session")
def whisper() -> Iterator[akunu.Model]:
    """Random weights that hear speech."""
    with akunu.Model(os.environ["AKUNU_TINY_WHISPER"]) as model:
        yield model


def idle(model: akunu.Model) -> bool:
    """Whether all that was asked of a model ends soon."""
    for _ in range(400):
        if model.status["running"] == model.status["waiting"] == 0:
            return True
        time.sleep(0.01)
    return False

"""What all tests share. `infra` is a source root of its own, as it is for the programs in it."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT), str(_ROOT / "infra")]

pytest_plugins = ["tests.emulators"]

# A busy machine is no fault of the code: no example is judged by how long it took.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    """A function that is opened within a test sends the log elsewhere: the next test reads it where it was."""
    log = logging.getLogger("entracte")
    handlers, level, propagates = list(log.handlers), log.level, log.propagate
    yield
    log.handlers[:], log.propagate = handlers, propagates
    log.setLevel(level)

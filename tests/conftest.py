"""What all tests share. `infra` is a source root of its own, as it is for the programs in it."""

import logging
import sys
from pathlib import Path

import pytest
from hypothesis import settings

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT), str(_ROOT / "infra")]

pytest_plugins = ["tests.emulators", "tests.stores"]

# A busy machine is no fault of the code: no example is judged by how long it took.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def _the_log_as_it_is_at_first() -> None:
    """A function that is opened within a test, or for a whole module, sends the log elsewhere."""
    log = logging.getLogger("entracte")
    log.handlers[:], log.filters[:], log.propagate = [], [], True
    log.setLevel(logging.NOTSET)
    logging.disable(logging.NOTSET)  # fuzzing silences it

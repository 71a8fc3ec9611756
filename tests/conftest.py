"""What all tests share. `infra` is a source root of its own, as it is for the programs in it."""

import sys
from pathlib import Path

from hypothesis import settings

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT), str(_ROOT / "infra")]

pytest_plugins = ["tests.emulators"]

# A busy machine is no fault of the code: no example is judged by how long it took.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

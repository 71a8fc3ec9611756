"""What all tests share. `infra` is a source root of its own, as it is for the programs in it."""

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT), str(_ROOT / "infra")]

pytest_plugins = ["tests.emulators"]

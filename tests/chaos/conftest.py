"""The modules of infra/chaos, which lie side by side as those of a program do."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "infra" / "chaos"))

"""Remakes ``infra/requirements.lock``: one list of hashes for every platform and for Python 3.11 and newer.

Pins stay as they are while pyproject.toml allows them; ``--upgrade`` or ``--upgrade-package NAME`` moves them. uv is
fetched for the occasion, so that a lock that cannot be installed can be remade.
"""

import subprocess
import sys
from tempfile import TemporaryDirectory

from environment import LOCK, PROJECT, ROOT, run_quietly

COMPILE = [
    *("pip", "compile", PROJECT.name, "--all-extras", "--group", "dev"),
    *("--universal", "--python-version", "3.11", "--generate-hashes"),
    "--no-config",  # a contributor's own mirror must not change the outcome
    *("--custom-compile-command", "python3 infra/dev.py lock"),
    *("--quiet", "--output-file", str(LOCK.relative_to(ROOT))),
]


def main(arguments: list[str]) -> int:
    """Return uv's exit code."""
    with TemporaryDirectory() as folder:
        run_quietly("fetching uv", sys.executable, "-m", "pip", "install", "--target", folder, "uv")
        return subprocess.run([f"{folder}/bin/uv", *COMPILE, *arguments], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

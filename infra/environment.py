"""The contributor's environment: ``.venv``, made of the hashes in ``infra/requirements.lock`` and nothing else.

A stamp, written last, tells what ``.venv`` was made of. With no stamp, another Python or another folder it is made
anew. With another lock or pyproject.toml it is updated in place, so that whatever runs in it stays alive.
"""

import fcntl
import hashlib
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "infra" / "requirements.lock"
PROJECT = ROOT / "pyproject.toml"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "made-of.json"


def set_up() -> None:
    """Make ``.venv`` hold what the lock says; silent when it does already. Ends the process if pip fails."""
    if _read_stamp() == _wanted() and _is_sound():
        return
    with LOCK.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Of two commands started at once, the second waits and finds the work done.
        began = time.monotonic()
        wanted, found = _wanted(), _read_stamp()
        if not _is_sound() or found | {"sha256": wanted["sha256"]} != wanted:
            run_quietly(f"making .venv with Python {wanted['python']}", sys.executable, "-m", "venv", "--clear", VENV)
        elif found == wanted:
            return
        STAMP.unlink(missing_ok=True)
        pip = (PYTHON, "-m", "pip", "install", "--no-input", "--quiet", "--disable-pip-version-check")
        run_quietly("installing infra/requirements.lock", *pip, "--require-hashes", "--requirement", LOCK)
        run_quietly("installing entracte, editable", *pip, "--no-deps", "--no-build-isolation", "--editable", ROOT)
        STAMP.write_text(json.dumps(wanted, indent=2) + "\n")
        print(f"set up in {time.monotonic() - began:.0f} s", flush=True)


def run_quietly(what: str, *command: str | Path) -> None:
    """Say in a few words what a command does; show what it printed only if it fails, then end the process."""
    print(what, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        remedy = "See that the package index is reached, and try again."
        sys.exit(f"{done.stdout}\n{what}: failed with exit code {done.returncode}. {remedy}")


def _wanted() -> dict[str, str]:
    """What ``.venv`` must be made of: also the root, since its scripts and the editable install hold that path."""
    sha256 = hashlib.sha256(LOCK.read_bytes() + PROJECT.read_bytes()).hexdigest()
    return {"python": platform.python_version(), "root": str(ROOT), "sha256": sha256}


def _read_stamp() -> dict[str, str]:
    """What ``.venv`` was made of; empty when it was not finished."""
    try:
        stamp: dict[str, str] = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp


def _is_sound() -> bool:
    """Whether its Python starts: one that was upgraded or removed leaves a dangling link."""
    try:
        return subprocess.run([PYTHON, "-c", "import pip"], capture_output=True).returncode == 0
    except OSError:
        return False

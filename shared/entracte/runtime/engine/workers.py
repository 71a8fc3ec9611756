"""Names of processes, and whether the process of a name is still there. For processes of one machine."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def worker_name() -> str:
    """``local:{boot}:{process id}:{random}``, different for every process that ever ran."""
    return f"local:{_boot()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_dead(worker: str, *, own: str) -> bool:
    """Whether that worker's process has certainly ended. False where nobody can tell."""
    parts = worker.split(":")
    if worker == own or len(parts) != 4 or parts[0] != "local":
        return False
    if parts[1] != _boot() or parts[2] == str(os.getpid()):
        return True  # the machine was started again since, or the process id is ours now
    try:
        os.kill(int(parts[2]), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, ValueError):
        return False
    return False


def _boot() -> str:
    return _BOOT_ID.read_text().strip()[:8] if _BOOT_ID.exists() else "boot"

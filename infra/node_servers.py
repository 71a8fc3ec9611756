"""MCP servers from npm that tests run against: fetched once, in one version, into the user's cache."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Literal

Name = Literal["filesystem", "memory"]

VERSIONS: dict[Name, str] = {"filesystem": "2026.8.31", "memory": "2026.8.31"}

_TOTAL_S = 180


class NodeServerMissing(Exception):
    """Node is not installed, or the server could not be fetched. Says which."""


def command(name: Name) -> list[str]:
    """The command that runs a server; its own arguments may be added at the end.

    Raises:
        NodeServerMissing: It is not there and could not be fetched.
    """
    node = shutil.which("node")
    if node is None:
        raise NodeServerMissing("There is no node. Install Node.js 18 or newer, with npm.")
    package = f"@modelcontextprotocol/server-{name}"
    folder = _cache() / f"server-{name}-{VERSIONS[name]}"
    if not folder.exists():
        _fetch(f"{package}@{VERSIONS[name]}", folder)
    return [node, str(folder / "node_modules" / package / "dist" / "index.js")]


def _fetch(package: str, folder: Path) -> None:
    """Install a package into a folder, which appears whole or not at all: others may be fetching it too."""
    npm = shutil.which("npm")
    if npm is None:
        raise NodeServerMissing("There is no npm. Install it beside Node.js.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching-") as workplace:
        whole = Path(workplace) / "whole"
        whole.mkdir()
        install = [npm, "install", "--prefix", str(whole), "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
        try:
            done = subprocess.run([*install, package], capture_output=True, text=True, timeout=_TOTAL_S, check=False)
        except subprocess.TimeoutExpired:
            raise NodeServerMissing(f"npm did not fetch {package} within {_TOTAL_S} s.") from None
        if done.returncode:
            raise NodeServerMissing(f"npm could not fetch {package}: {done.stderr.strip()[-500:]}")
        try:
            whole.replace(folder)
        except OSError:
            if not folder.exists():  # another process was first
                raise


def _cache() -> Path:
    return Path.home() / ".cache" / "entracte" / "npm"

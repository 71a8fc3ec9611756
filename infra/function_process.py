"""One function in a process of its own, served as Google Cloud's buildpack serves it: functions framework, gunicorn."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import ports
from child import Child

SOURCES = Path(__file__).resolve().parent.parent / "shared"

_THREADS = 8
"""Requests that one function serves at a time. Pub/Sub's emulator sends two; people may ask the api for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function, running or not.

    Attributes:
        name: Its target: the function's name in main.py, and that of the folder.
        main: Path of main.py.
    """

    name: str
    main: Path
    port: int

    @property
    def address(self) -> str:
        """``host:port``."""
        return f"{ports.LOOPBACK}:{self.port}"

    def answers(self) -> bool:
        """Whether it is loaded. The framework answers this path by itself, so the function is not called."""
        return ports.answers(self.address, "/robots.txt")

    def launch(self, environment: Mapping[str, str], folder: Path, on_line: Callable[[str, str], None]) -> Child:
        """Begin to start it.

        Args:
            environment: What it finds there beside what is in ours.
            folder: Empty one of its own, for what lives as long as the process.
            on_line: Gets its name and a line of its log, from another thread.
        """
        # The network to serve may lie in the current folder.
        paths = [str(SOURCES), str(Path.cwd()), os.environ.get("PYTHONPATH", "")]
        settings = {
            "HOST": ports.LOOPBACK,
            "PORT": str(self.port),
            "THREADS": str(_THREADS),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONUNBUFFERED": "1",
            "XDG_RUNTIME_DIR": str(folder),  # gunicorn's control socket, else one file for all of them
        }
        return Child(
            self.name,
            [sys.executable, "-m", "functions_framework", "--source", self.main, "--target", self.name],
            env={**os.environ, **environment, **settings},
            on_line=lambda line: on_line(self.name, line),
        )


def functions_in(folder: Path, *, wanted_ports: Mapping[str, int]) -> list[Function]:
    """The functions under a folder, each on a free port, or on the one that is wanted for its name.

    Raises:
        PortInUse: Another process listens on a wanted one.
        FileNotFoundError: There is no function.
    """
    mains = sorted(folder.glob("*/main.py"))
    if not mains:
        raise FileNotFoundError(f"There is no function under {folder}: no folder with a main.py.")
    functions = []
    for main in mains:
        name = main.parent.name
        remedy = f"Stop that process, or choose another with --{name.replace('_', '-')}-port."
        port = ports.claim(wanted_ports.get(name, 0), purpose=name, remedy=remedy)
        functions.append(Function(name=name, main=main, port=port))
    return functions

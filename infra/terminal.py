"""What the stack shows: where its parts are, then the functions' logs as one."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path

from rich.console import Console
from rich.text import Text

_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "bright_red", "bright_cyan", "bright_magenta")
_EXAMPLE = '{"message": "Which plan is Ada Lovelace on, and since when?"}'  # the sample network knows
_LONGEST_NAME = len("gate_edit")


class Terminal:
    """Standard output, and standard error for what went wrong. Colours only on a terminal."""

    def __init__(self) -> None:
        self._out = Console(soft_wrap=True, highlight=False)
        self._err = Console(soft_wrap=True, highlight=False, stderr=True)
        self._colours = cycle(_COLOURS)
        self._colour_of: dict[str, str] = {}

    def show(self, addresses: Mapping[str, str], environment: Mapping[str, str]) -> None:
        """Addresses of the parts, and how to reach them from another terminal."""
        width = max(map(len, addresses))
        for name, address in addresses.items():
            self.say(f"{name:<{width}}  http://{address}")
        self.say("\nIn another terminal:")
        if "api" in addresses:
            url = f"http://{addresses['api']}"
            self.say(f"  curl -s -H 'Content-Type: application/json' -d '{_EXAMPLE}' '{url}/v1/runs?wait=30'")
            emulators = " ".join(f"{name}={value}" for name, value in environment.items() if "_EMULATOR_" in name)
            program = Path(sys.executable).with_name("entracte")
            entracte = program.relative_to(Path.cwd()) if program.is_relative_to(Path.cwd()) else program
            self.say(f"  {entracte} gates --url {url}\n  {emulators} {entracte} doctor")
            self.say(f"\nWhat else it can be asked: {url}/docs")
        else:
            for name, value in environment.items():
                self.say(f"  export {name}={value}")
        self.say("\nCtrl-C stops everything.\n")

    def line(self, name: str, line: str) -> None:
        """One line of a function's log. May be called from any thread."""
        colour = self._colour_of.setdefault(name, next(self._colours))
        try:
            self._out.print(Text.assemble((f"{name:<{_LONGEST_NAME}} │ ", colour), Text.from_ansi(line)))
        except BrokenPipeError:  # the reader of our output has gone, as in `stack | head`
            signal.raise_signal(signal.SIGTERM)

    def say(self, text: str) -> None:
        """Plain text."""
        self._out.print(text, markup=False)

    def fail(self, text: str) -> None:
        """What went wrong."""
        self._err.print(Text.assemble(("error: ", "bold red"), text))

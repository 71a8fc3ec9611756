"""A network whose tool and model say things that a terminal would obey, whose tool is slow, and which can fail."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from entracte.agents import Agent, Models, Network, tool

HOSTILE = "\x1b]0;owned\x07\x1b[2Jred \x1b[31mtext\x1b[0m\x9b1A [bold]not bold[/bold] \u202eltr\r\nnext\x08 line"
"""Title, clearing, colours, 8-bit sequences, markup, a turned direction, an overwritten line."""


@tool(effect="readonly")
def fetch() -> dict[str, str]:
    """Fetch a page that somebody else wrote."""
    return {"text": HOSTILE}


@tool(effect="readonly")
def stay() -> str:
    """Stay until there is a file called ``go`` in the current folder, for 20 s at most."""
    until = time.monotonic() + 20
    while time.monotonic() < until and not Path("go").exists():
        time.sleep(0.01)
    return "went"


@tool(effect="readonly")
def shout() -> str:
    """Print."""
    sys.stdout.write("Loud.\n")
    return "said"


desk = Agent(name="desk", prompt="You fetch pages.", tools=[fetch, stay, shout])

network = Network(entry=desk, models=Models(main=f"scripted/{Path(__file__).with_suffix('.yaml')}"))

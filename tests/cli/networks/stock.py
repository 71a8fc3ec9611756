"""A network that changes what a file in the current folder says is in stock, with a tool of every class."""

from __future__ import annotations

import json
from pathlib import Path

from entracte.agents import Agent, Models, Network, ToolError, tool
from entracte.toolbox.ask_user import ask_user

STOCK = Path("stock.json")
"""Item → how many are left."""

SENT = Path("sent.txt")
"""A line for each thing that was sent."""


@tool(effect="readonly")
def look(item: str) -> dict[str, int]:
    """Look up how many are left."""
    return {"left": _stock()[_known(item)]}


@tool
def put(item: str, left: int) -> dict[str, int]:
    """Set how many are left."""
    STOCK.write_text(json.dumps(_stock() | {_known(item): left}))
    return {"left": left}


@tool
def add(item: str) -> dict[str, str]:
    """Add an item."""
    STOCK.write_text(json.dumps(_stock() | {item: 0}))
    return {"item": item}


@tool
def remove(item: str) -> str:
    """Remove an item."""
    STOCK.write_text(json.dumps({name: left for name, left in _stock().items() if name != _known(item)}))
    return "removed"


@tool
def ship(item: str, to: str) -> str:
    """Ship an item."""
    with SENT.open("a") as sent:
        sent.write(f"{item} to {to}\n")
    return f"{item} is on its way to {to}"


@tool
def order(item: str) -> str:
    """Order more of an item."""
    return f"{item} is ordered"


@tool
def wire(to: str) -> str:
    """Wire money, over a line that breaks."""
    raise ConnectionResetError(f"cut off from {to}")


def _stock() -> dict[str, int]:
    found: dict[str, int] = json.loads(STOCK.read_text()) if STOCK.exists() else {"tea": 3, "salt": 8}
    return found


def _known(item: str) -> str:
    if item not in _stock():
        raise ToolError(f"{item} is not in stock.")
    return item


_HERE = Path(__file__)

keeper = Agent(
    name="keeper",
    prompt="You keep a shop's stock.",
    tools=[look, put, add, remove, ship, order, wire, ask_user],
    light=True,
)

network = Network(
    entry=keeper,
    models=Models(main=f"scripted/{_HERE.with_suffix('.yaml')}"),
    policy=str(_HERE.with_name("stock-policy.yaml")),
)

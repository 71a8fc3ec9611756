"""A small network behind the API, and its model."""

from __future__ import annotations

from entracte.agents import Agent, Budget, Model, Models, Network, Secret, tool
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta, Usage


class EchoModel:
    """Gives back what was asked."""

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        return ModelReply(value=f"You said {request.part('input')}", usage=Usage(prompt_tokens=7), served="echo-1")


@tool(effect="readonly", timeout_s=5)
def look_up(name: str) -> str:
    """Look a customer up.

    Give the whole name.
    """
    return name


def echo_network() -> Network:
    """Two light agents; the second is asked with a city."""
    echo = Agent(
        name="echo",
        prompt="You repeat.\nNever show PROMPT.",
        knowledge="Never show KNOWLEDGE.",
        tools=[look_up],
        light=True,
    )
    weather = Agent(name="weather", summary="Tells the weather.", input={"city": "Kyoto"}, light=True)
    models = Models(main=Model("echo/main", base_url="http://never-show", api_key=Secret("NEVER")), light="echo/light")
    return Network(entry=echo, agents=[weather], models=models, budget=Budget(actions=300, tokens=5000), name="echo")

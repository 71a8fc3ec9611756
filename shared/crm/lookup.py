"""One agent that looks customers up: small enough for a model that runs on a laptop (small.py, trial.py)."""

from __future__ import annotations

from crm.deps import open_crm
from crm.tools.records import get_customer, search_customers
from entracte.agents import Agent, Models, Network

lookup = Agent(
    name="lookup",
    prompt="""You answer questions about the customers of a support desk.
- Answer in one sentence, with the names, dates and numbers exactly as the tool returned them.""",
    tools=[search_customers, get_customer],
    tool_choice="required",
    max_steps=6,
)

network = Network(entry=lookup, models=Models(main="scripted/crm:demo.yaml"), deps=open_crm)

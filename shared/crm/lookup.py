"""One agent that looks customers up: small enough for a model that runs on a laptop (see trial.py)."""

from __future__ import annotations

from dataclasses import replace

from crm.deps import open_crm
from crm.tools.records import get_customer, search_customers
from entracte.agents import Agent, Models, Network

lookup = Agent(
    name="lookup",
    prompt="""You answer questions about the customers of a support desk.
- Answer in one sentence, with the names, dates and numbers exactly as the tool returned them.
- Say that nobody was found only where the total is 0.""",
    tools=[search_customers, get_customer],
    tool_choice="required",
    max_steps=6,
    max_output_tokens=1000,
)

network = Network(entry=lookup, models=Models(main="scripted/crm:demo.yaml"), deps=open_crm)

light = Network(entry=replace(lookup, light=True), models=Models(main="scripted/crm:demo.yaml"), deps=open_crm)
"""The same agent without state and evaluation: two model calls a question, and results stay before its eyes."""

"""The sample for small models: each agent has one job. trial.py says how well they do it.

lookup                   searches and reads customers
clerk                    changes a record, which it names; a person has to agree (gated.yaml)
front ──▶ lookup         has no tools of its own, and passes the question on
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from crm.deps import open_crm
from crm.lookup import lookup
from crm.tools.by_name import change_customer
from crm.tools.records import get_customer, update_customer
from entracte.agents import Agent, Budget, Models, Network

Job = Literal["lookups", "updates", "two_agents"]

clerk = Agent(
    name="clerk",
    prompt="""You change customer records for a support desk.
- Call change_customer with the customer's name, address or number, the one field that is to change, and its value.
- If it finds nobody or more than one, say so, and change nobody else.
- Then say in one sentence what has been changed, as the result tells it.""",
    tools=[change_customer],
    tool_choice="required",
    max_steps=4,
)

front = Agent(
    name="front",
    prompt="""You answer for a support desk. You know nothing about customers; lookup does.
- Ask lookup the whole question, with every name and number in it.
- Answer in one sentence with what lookup said.""",
    agents=[lookup],
    tool_choice="required",
    max_steps=4,
)


def networks(*, light: bool) -> dict[Job, Network]:
    """A network for each job, its agents light or with state and evaluation."""
    models = Models(main="scripted/crm:demo.yaml")
    one_by_one = Budget(parallel_calls=1)  # else a small model makes up the id that it is about to search for

    def small(agent: Agent) -> Agent:
        """Without chance, and stopped soon where it has lost its way."""
        return replace(agent, light=light, temperature=0, max_output_tokens=400 if light else 1500)

    seeker = small(lookup)
    return {
        "lookups": Network(entry=seeker, models=models, deps=open_crm, budget=one_by_one),
        "updates": Network(
            entry=small(clerk),
            models=models,
            tools=[get_customer, update_customer],  # the policy reads and puts back with them
            policy="crm:gated.yaml",
            deps=open_crm,
            budget=one_by_one,
        ),
        "two_agents": Network(
            entry=replace(small(front), agents=[seeker]),
            models=models,
            deps=open_crm,
            budget=one_by_one,
        ),
    }

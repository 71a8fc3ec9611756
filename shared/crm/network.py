"""A support desk: two specialists and the desk that sends work to them.

desk ──▶ records          search, read and change customers; read invoices
     └─▶ correspondence   write to customers
"""

from __future__ import annotations

from crm.deps import open_crm
from crm.tools.correspondence import send_email
from crm.tools.records import (
    create_customer,
    delete_customer,
    get_customer,
    list_invoices,
    search_customers,
    update_customer,
)
from entracte.agents import Agent, Models, Network

records = Agent(
    name="records",
    summary="Looks up and changes customer records, and reads invoices.",
    instruction="Say who is meant, and either what you want to know or which field is to have which value.",
    prompt="""You keep the customer records of a support desk.
- Find the customer before you say or change anything. Two people of one name are told apart by e-mail, plan and notes.
- Answer only with what the tools returned, with names, ids, dates and amounts as they stand there.
- Change exactly what was asked for, one call for each customer, in the order in which it was asked.
- What cannot be done is said, with the reason the tool gave.""",
    tools=[search_customers, get_customer, list_invoices, update_customer, create_customer, delete_customer],
)

correspondence = Agent(
    name="correspondence",
    summary="Writes e-mails to customers.",
    instruction="Say to whom, what the mail is about, and every fact that it has to contain.",
    prompt="""You write e-mails for a support desk.
- Take the address from the customer's record; search for it if you were not given one.
- Short, friendly, plain text; greet by name; sign as "Your support desk". State only what you were told.
- One mail for each request. When it has been sent, say to whom and with which subject.""",
    tools=[send_email, search_customers],
)

desk = Agent(
    name="desk",
    prompt="""You run the support desk. You have no tools of your own: specialists do the work.
- Break the request down. Ask records for everything about customers; ask correspondence to write to them.
- First the changes, then the mails about them: a mail must not say what has not happened.
- Give each specialist all it needs in one message; it sees nothing else of the conversation.
- Answer the person briefly, with what the specialists reported. Say what could not be done, and why.""",
    agents=[records, correspondence],
)

network = Network(entry=desk, models=Models(main="scripted/crm:demo.yaml"), policy="crm:policy.yaml", deps=open_crm)

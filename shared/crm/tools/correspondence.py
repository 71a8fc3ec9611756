"""Tools for writing to customers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from crm.deps import Crm
from crm.records import Email, SentEmail
from entracte.agents import ToolContext, tool


@tool(evaluation="The message went to the address in the customer's record.", timeout_s=90)
def send_email(
    ctx: ToolContext[Crm],
    to: Email,
    subject: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\r\n]+$", description="One line.")],
    body: Annotated[
        str, Field(min_length=1, max_length=20_000, description="Plain text, with greeting and signature.")
    ],
) -> SentEmail:
    """Send an e-mail to a customer.

    It cannot be taken back. Take the address from the customer's record; never guess one.
    """
    return ctx.deps.outbox.send(ctx.idempotency_key, to, subject, body, lambda: ctx.secret("CRM_SMTP_PASSWORD"))

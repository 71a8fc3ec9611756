"""What the tools work with, made from the settings once for a process.

| setting | meaning | default |
|---|---|---|
| CRM_DATABASE | SQLite file; made and filled when absent | .entracte/crm.sqlite3 |
| CRM_OUTBOX | folder for copies of sent mail | .entracte/outbox |
| CRM_SMTP | `smtp://[user@]host[:port]` or `smtps://…` | none: copies only |
| CRM_SENDER | address that mail comes from | support@entracte.example |

The password of a user in CRM_SMTP is the secret CRM_SMTP_PASSWORD.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from crm.mail import SENDER, Outbox


@dataclass(frozen=True, slots=True)
class Crm:
    """The support desk: its database and its outbox. Holds nothing open."""

    database: Path
    outbox: Outbox


def open_crm() -> Crm:
    """The desk that the settings describe, in absolute paths: a later change of folder does not move it."""
    setting = os.environ.get
    return Crm(
        database=Path(setting("CRM_DATABASE", ".entracte/crm.sqlite3")).absolute(),
        outbox=Outbox(
            folder=Path(setting("CRM_OUTBOX", ".entracte/outbox")).absolute(),
            smtp_url=setting("CRM_SMTP", ""),
            sender=setting("CRM_SENDER", SENDER),
        ),
    )

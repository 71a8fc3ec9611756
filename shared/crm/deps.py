"""What the tools work with, made from the settings once for a process.

| setting | meaning | default |
|---|---|---|
| CRM_DATABASE | SQLite file; made and filled when absent | crm.sqlite3, beside the runs |
| CRM_OUTBOX | folder for copies of sent mail | outbox, beside the runs |
| CRM_SMTP | `smtp://[user@]host[:port]` or `smtps://…` | none: copies only |
| CRM_SENDER | address that mail comes from | support@entracte.example |

The password of a user in CRM_SMTP is the secret CRM_SMTP_PASSWORD.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from crm.mail import SENDER, Outbox
from entracte.agents import data_folder


@dataclass(frozen=True, slots=True)
class Crm:
    """The support desk: its database and its outbox. Holds nothing open."""

    database: Path
    outbox: Outbox


def open_crm() -> Crm:
    """The desk that the settings describe, in absolute paths: a later change of folder does not move it."""
    setting, beside = os.environ.get, data_folder()
    return Crm(
        database=Path(setting("CRM_DATABASE", "") or beside / "crm.sqlite3").absolute(),
        outbox=Outbox(
            folder=Path(setting("CRM_OUTBOX", "") or beside / "outbox").absolute(),
            smtp_url=setting("CRM_SMTP", ""),
            sender=setting("CRM_SENDER", SENDER),
        ),
    )

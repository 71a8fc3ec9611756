"""A folder of its own for a program of the sample, so that it meets new records and disturbs nobody's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from entracte.agents import Model, Models, Network, Secret


def move_into(folder: Path) -> None:
    """Empty the folder, and have this process keep its runs, records and outbox there, and send no mail."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ |= {
        "ENTRACTE_STORE": str(folder / "entracte.db"),
        "CRM_DATABASE": str(folder / "crm.sqlite3"),
        "CRM_OUTBOX": str(folder / "outbox"),
        "CRM_SMTP": "",
    }


def with_model(network: Network, model: str, base_url: str, key: str) -> Network:
    """The network with another model for everything; `key` names the secret that holds its key, if it needs one."""
    chosen = Model(model, base_url=base_url, api_key=Secret(key) if key else None)
    return network.using(models=Models(main=chosen))

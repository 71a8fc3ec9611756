"""The folder in which a program of the sample works: its runs, records and outbox."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from entracte.agents import Model, Models, Network, Secret
from entracte.errors import ConfigurationError

FOLDER = Path(".entracte")
"""Where commands look by default, from the folder that they are called in."""

_OURS = ("entracte.db*", "crm.sqlite3*", "outbox")
"""What a program of the sample leaves in the folder, in patterns: databases have files beside them."""

_ELSEWHERE = ("ENTRACTE_STORE", "CRM_DATABASE", "CRM_OUTBOX")
"""Settings that would have the commands that are typed next look in another place."""


def clear_away(folder: Path) -> Path | None:
    """Make room for new runs and records in the folder; where the old ones are now, None if there were none.

    Raises:
        ConfigurationError: Settings name other places, which are nobody's to clear.
    """
    if named := [name for name in _ELSEWHERE if os.environ.get(name)]:
        raise ConfigurationError(
            f"{', '.join(named)} is set, and this program works in {folder} only.", remedy="Unset it for this once."
        )
    old = [path for pattern in _OURS for path in sorted(folder.glob(pattern))]
    if not old:
        return None
    aside = folder / "before" / f"{datetime.now().astimezone():%Y-%m-%dT%H%M%S.%f}"
    aside.mkdir(parents=True)
    for path in old:
        path.rename(aside / path.name)
    return aside


def use(folder: Path) -> None:
    """Have this process keep its runs, records and outbox in the folder, and send no mail."""
    folder.mkdir(parents=True, exist_ok=True)
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

"""Triggers on the Firestore emulator. Where the real ones are, Terraform makes them.

The emulator posts each event to the address that it was started with, ``--functions_emulator=HOST:PORT``, and not again
if that fails.
"""

from __future__ import annotations

import http.client
import json
from contextlib import closing

_TIMEOUT_S = 10


class TriggerFailed(Exception):
    """The emulator did not take a trigger; says what it answered."""


def tell_of_updates(emulator: str, *, project: str, name: str, documents: str) -> None:
    """Have the emulator post an event, with its author, for each update of certain documents.

    The emulator makes the authors up.

    Args:
        emulator: ``host:port``.
        name: Of the trigger. One of that name in that project is replaced.
        documents: Path pattern, such as ``gates/{gate}``.

    Raises:
        TriggerFailed: It was refused, or the emulator did not answer.
    """
    trigger = {
        "eventType": "google.cloud.firestore.document.v1.updated.withAuthContext",
        "database": "(default)",
        "namespace": "(default)",
        "document": {"value": documents, "matchType": "PATH_PATTERN"},
    }
    path = f"/emulator/v1/projects/{project}/eventarcTrigger?eventarcTriggerId={name}"
    doing = f"trigger {name} at the Firestore emulator, {emulator}"
    try:
        with closing(http.client.HTTPConnection(emulator, timeout=_TIMEOUT_S)) as connection:
            connection.request("POST", path, json.dumps(trigger), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise TriggerFailed(f"{doing}: no answer: {error}") from None
    if answer.status != 200:
        raise TriggerFailed(f"{doing}: refused: {text}")

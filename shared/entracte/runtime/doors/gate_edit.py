"""gate_edit as a CloudEvent function: an edit in the Firestore console becomes an approve message."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from entracte.adapters.gcp.gate_edit import decode_edit
from entracte.core.addresses import run_of
from entracte.core.gates.editing import Edit, answer_of
from entracte.core.messages import Message
from entracte.errors import Forbidden, TerminalError, Unauthenticated
from entracte.runtime.doors.pushed import guard_of
from entracte.runtime.log import set_up_logs
from entracte.runtime.settings import Settings, read_settings

if TYPE_CHECKING:
    from cloudevents.http import CloudEvent

log = logging.getLogger("entracte")


def gate_edit_function() -> Callable[[CloudEvent], None]:
    """The function. It knows no network and reads no document: value and author come from the same event.

    Raises:
        ConfigurationError: A setting cannot be used, or anybody's events would be taken.
    """
    import flask

    from entracte.adapters.gcp.bus import PubSubBus
    from entracte.adapters.system.clock import SystemClock

    settings = read_settings()
    set_up_logs(structured=settings.structured_logs, project=settings.project)
    guard = guard_of(settings, SystemClock())
    bus = PubSubBus(settings.project, prefix=settings.topic_prefix)

    def gate_edit(event: CloudEvent) -> None:
        try:
            sent = flask.request.headers  # of the framework's request: the event keeps nothing of them
            guard(sent.get("Authorization", ""), sent.get("Host", ""))
        except Forbidden as error:
            log.error("event_refused event=%s %s", event.get_attributes().get("id"), error)
            flask.abort(401 if isinstance(error, Unauthenticated) else 403)
        try:
            edit = decode_edit(event.get_attributes(), event.get_data() or b"")
        except TerminalError as error:  # the same at every try
            log.error("edit_refused event=%s %s", event.get_attributes().get("id"), error)
            return
        message = message_of(edit, settings)
        if message is not None:
            bus.publish((message,))  # its errors have the event sent again
        done = "edit_published" if message is not None else "edit_ignored"
        log.info("%s gate=%s event=%s author_kind=%s", done, edit.gate, edit.id, edit.author_kind)

    return gate_edit


def message_of(edit: Edit, settings: Settings) -> Message | None:
    """What the approve phase is told of an edit; None when it is no answer."""
    answer = answer_of(edit, tested=settings.console_confirmed, own_accounts=settings.service_accounts)
    if answer is None:
        return None
    return Message(kind="approve", run=run_of(edit.gate), gate=edit.gate, answer=answer)

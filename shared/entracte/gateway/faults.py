"""What a client is told of an error that is none of its call: nothing of the gateway's inside, which the log has."""

from __future__ import annotations

import logging

from entracte.errors import EntracteError, Forbidden, RetryableError, ServerUnavailable

log = logging.getLogger("entracte")

BUSY = "The gateway is busy, or a part of it cannot be reached: ask again later. What was begun is not made twice."
FAULT = "Something went wrong in the gateway, and its log says what."


def told(error: Exception) -> str:
    """The error in words for the client. What they do not tell is logged."""
    if isinstance(error, (Forbidden, ServerUnavailable)):  # of the client, and of the servers that it calls by name
        return str(error)
    if isinstance(error, RetryableError):
        log.warning("gateway_busy %s", error)
        return BUSY
    log.error("gateway_fault %s", error, exc_info=None if isinstance(error, EntracteError) else error)
    return FAULT

"""What a request must be like to become a run."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from entracte.core.addresses import is_id
from entracte.core.runs.choosing_models import check_models
from entracte.core.runs.starting import RunRequest
from entracte.errors import InvalidInput
from entracte.runtime.engine.engine import Engine

MAX_METADATA = 20
"""Labels of a run."""


def check_request(engine: Engine, request: RunRequest) -> None:
    """Look at what the caller chose.

    Raises:
        InvalidInput: The message, the session's id, labels, time zone or models cannot be used; `pointer` names which.
    """
    match request.input:
        case {"message": str(message), **others} if message and not message.strip() and not others:
            raise InvalidInput("The message is empty.", remedy="Write what is asked.", pointer="/input/message")
    if request.session and not is_id(request.session):
        raise InvalidInput("A session id has 1 to 64 letters, digits, _ and -.", pointer="/session")
    if len(request.metadata) > MAX_METADATA or any(len(k) > 64 or len(v) > 500 for k, v in request.metadata.items()):
        raise InvalidInput(
            f"metadata has at most {MAX_METADATA} labels of 64 characters, with values of 500.", pointer="/metadata"
        )
    try:
        ZoneInfo(request.time_zone)
    except (LookupError, OSError, ValueError):  # a folder of zones, such as America, is an OSError
        raise InvalidInput(
            f"There is no time zone {request.time_zone[:80]!r}.",
            remedy="Names are like Asia/Tokyo.",
            pointer="/time_zone",
        ) from None
    check_models(engine.blueprint, request, engine.prices, engine.clock.now().date())

"""What a status that is not 200 means, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from entracte.errors import EntracteError, ModelRefused, ModelUnavailable

MAX_SHOWN_CHARS = 300

_REMEDIES = {
    400: "The service does not take a request of this kind; its own words above say what it objects to.",
    401: "Set the secret that api_key names to a key of this service.",
    403: "The key may not use this model; ask for access or name another one in Models(…).",
    404: "The model is unknown there or has been retired. Name another one, such as vertex/gemini-3.8-flash, in "
    "Models(…) or Agent(model=…), or in the setting ENTRACTE_MODEL. If the name is right, check base_url or location.",
    413: "Shorten the agent's knowledge or state, or choose a model that reads more.",
}


class Busy(ModelUnavailable):
    """The service says, or its silence suggests, that another try soon may do."""


class Absent(Busy):
    """Nothing listens where the service of this very machine should: a few tries soon may do, and no later ones."""


def status_error(
    about: str, status: int, headers: Mapping[str, str], raw: bytes, secret: str, now: datetime | None = None
) -> EntracteError:
    """The error for a status.

    Args:
        about: The model and where it is.
        secret: Blotted out of the service's own words.
        now: Time that a dated Retry-After is measured from, when the service sends no Date; the present by default.
    """
    return refusal(about, status, shown(_words(raw), secret), retry_after_s(headers, now))


def refusal(about: str, status: int, said: str, retry_after_s: float | None) -> EntracteError:
    """The error for a status and the service's words, which hold no secret."""
    message = f"{about} answered {status}: {said or 'nothing more'}."
    if status in (408, 429) or status >= 500:
        return Busy(message, retry_after_s=retry_after_s)
    return ModelRefused(message, remedy=_REMEDIES.get(status, ""))


def shown(said: str, secret: str) -> str:
    """A service's own words, for a message: short, and without the key, which some repeat."""
    return (said.replace(secret, "[key]") if secret else said)[:MAX_SHOWN_CHARS]


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by Retry-After (RFC 9110, 10.2.3), which is a number or a date; None where it says nothing."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value)) if value and float(value) < float("inf") else None
    except ValueError:
        pass
    try:
        sent = parsedate_to_datetime(headers["date"]) if "date" in headers else now or datetime.now(UTC)
        return max(0.0, (parsedate_to_datetime(value) - sent).total_seconds())
    except (ValueError, TypeError):
        return None


def retry_delay_s(error: Any) -> float | None:
    """Seconds of a RetryInfo (google/rpc/error_details.proto) among the details of one of Google's errors, or None.

    Args:
        error: Its body as JSON, or the list of its details, as JSON or protobuf messages.
    """
    match error:
        case {"error": {"details": list(details)}}:
            return retry_delay_s(details)
        case list() | tuple():
            return next((delay for each in error if (delay := _delay_s(each)) is not None), None)
        case _:
            return None


def _delay_s(detail: Any) -> float | None:
    match detail:
        case {"retryDelay": str(delay)}:
            try:
                seconds = float(delay.removesuffix("s"))
            except ValueError:
                return None
            return max(0.0, seconds) if seconds < float("inf") else None
        case _ if type(detail).__name__ == "RetryInfo":
            return float(detail.retry_delay.seconds + detail.retry_delay.nanos / 1e9)
        case _:
            return None


def _words(raw: bytes) -> str:
    """The service's own explanation, as the common shapes of error bodies have it."""
    text = raw.decode("utf-8", "replace").strip()
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return " ".join(text.split())
    match body:
        case {"error": {"message": str(message)}} | {"error": str(message)} | {"message": str(message)}:
            return message.strip().rstrip(".")
        case _:
            return " ".join(text.split())

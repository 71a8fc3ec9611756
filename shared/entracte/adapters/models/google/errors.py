"""What Google's clients raise, as the errors of the model port."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from entracte.adapters.models.refusals import refusal, retry_delay_s, shown
from entracte.errors import ConfigurationError, ModelUnavailable

TIMED_OUT = 504
CANCELLED = 499

_ASKED = re.compile(r"^POST \S+: ")
"""What the REST transport puts before a service's own words."""


@contextmanager
def google_errors_named(about: str) -> Iterator[None]:
    """Turn the errors of a call through a generated client into the port's.

    Args:
        about: The model and where it is.

    Raises:
        ModelUnavailable: Overloaded, down, timed out or cut off.
        ModelRefused: It will not answer this request.
        ConfigurationError: There are no credentials.
    """
    from google.api_core.exceptions import GoogleAPICallError
    from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError

    try:
        yield
    except GoogleAPICallError as error:
        status = int(error.code or 500)
        if status == TIMED_OUT:
            raise ModelUnavailable(f"{about} did not answer in time.") from None
        if status == CANCELLED:
            raise ModelUnavailable(f"{about} cut the connection.") from None
        words = shown(_ASKED.sub("", str(error.message or "")), "").strip().rstrip(".")
        raise refusal(about, status, words, retry_delay_s(error.details)) from None
    except DefaultCredentialsError:
        raise ConfigurationError(
            f"There are no Google credentials for {about}.",
            remedy="Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.",
        ) from None
    except GoogleAuthError as error:
        raise ModelUnavailable(f"{about}: Google gave no access token ({type(error).__name__}).") from None
    except OSError as error:  # of the REST transport: `requests` derives its errors from it
        if "Timeout" in type(error).__name__:
            raise ModelUnavailable(f"{about} did not answer in time.") from None
        raise ModelUnavailable(f"{about} cut the connection ({type(error).__name__}).") from None
    except ValueError as error:  # of the REST transport: half a message
        raise ModelUnavailable(f"{about} answered with half a message ({type(error).__name__}).") from None

"""Google's APIs over REST, read only: one client for many services, and the emulators in the place of two of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx

from entracte.core.doctor.finding import Seen
from entracte.errors import ConfigurationError

TIMEOUT_S = 15.0
_MAX_PROBLEM_CHARS = 300
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class GoogleApis:
    """Asks Google's APIs. An answer that is none comes back as one: whoever asks says what it means.

    Args:
        addresses: ``http://host:port`` in place of a service, by its name, such as ``pubsub``.
        token: Gives an access token; the emulators take any.
    """

    def __init__(self, addresses: Mapping[str, str], token: Callable[[], str]) -> None:
        self._addresses = addresses
        self._token = token
        self._http = httpx.Client(timeout=TIMEOUT_S)

    def get(self, service: str, path: str, **parameters: str) -> Seen:
        """``https://{service}.googleapis.com/{path}``."""
        return self._ask("GET", service, path, params=parameters)

    def send(self, method: str, service: str, path: str, body: Mapping[str, Any], **parameters: str) -> Seen:
        """The same with a body."""
        return self._ask(method, service, path, params=parameters, json=dict(body))

    def reaches(self, url: str) -> bool:
        """Whether anything answers there, whatever it says. No token is sent."""
        try:
            self._http.get(url)
        except httpx.HTTPError:
            return False
        return True

    def close(self) -> None:
        """Let go of connections."""
        self._http.close()

    def _ask(self, method: str, service: str, path: str, **sent: Any) -> Seen:
        base = self._addresses.get(service, f"https://{service}.googleapis.com")
        headers = {"Authorization": f"Bearer {self._token()}"}
        try:
            answer = self._http.request(method, f"{base}/{path}", headers=headers, **sent)
            body = answer.json() if answer.content else {}
        except (httpx.HTTPError, ValueError) as error:
            return Seen(0, {}, f"{type(error).__name__}: {error}"[:_MAX_PROBLEM_CHARS])
        if not answer.is_success:
            told = body.get("error", {}) if isinstance(body, dict) else {}
            message = told.get("message", "") if isinstance(told, dict) else str(told)
            return Seen(answer.status_code, {}, str(message or answer.reason_phrase)[:_MAX_PROBLEM_CHARS])
        return Seen(answer.status_code, body if isinstance(body, dict) else {})


def access_token() -> Callable[[], str]:
    """What gives access tokens of the credentials of this machine (`gcloud auth application-default login`).

    Raises:
        ConfigurationError: There are none.
    """
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError, RefreshError
    from google.auth.transport.requests import Request

    remedy = "Run `gcloud auth application-default login`."
    try:
        credentials, _ = google.auth.default(scopes=[_SCOPE])
    except DefaultCredentialsError as error:
        raise ConfigurationError(f"There are no credentials for Google Cloud: {error}", remedy=remedy) from None

    def token() -> str:
        if not credentials.valid:
            try:
                credentials.refresh(Request())
            except RefreshError as error:
                raise ConfigurationError(f"The credentials cannot be renewed: {error}", remedy=remedy) from None
        return str(credentials.token)

    return token

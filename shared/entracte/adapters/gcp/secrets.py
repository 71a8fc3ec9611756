"""Secrets in Secret Manager."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from entracte.errors import ConfigurationError, RetryableError

if TYPE_CHECKING:
    from google.cloud.secretmanager_v1 import SecretManagerServiceClient

MAX_AGE_S = 300.0
"""How long a value is used without another look. A rotated key counts after that, without a redeploy."""

TIMEOUT_S = 10.0

_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}")


class _Held(Struct, frozen=True):
    """A value, the version that it came from, and when it was looked up."""

    version: str
    value: str
    at_s: float

    def __repr__(self) -> str:
        return f"_Held({self.version!r}, …)"


class SecretManagerSecrets:
    """Secrets port on Secret Manager: the newest version of ``{prefix}-{name}``, as Terraform names them.

    Args:
        project: Google Cloud project.
        client: In place of one with the default credentials.
        now_s: Seconds that never go back.
    """

    def __init__(
        self,
        project: str,
        *,
        prefix: str,
        client: SecretManagerServiceClient | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._project = project
        self._prefix = prefix
        self._given = client
        self._now_s = now_s
        self._held: dict[str, _Held] = {}
        self._looking_up = threading.Lock()

    def __repr__(self) -> str:
        return f"SecretManagerSecrets({self._project!r}, prefix={self._prefix!r})"

    def get(self, name: str) -> str:
        """The secret's current value, at most five minutes old.

        While Secret Manager is down, the last value goes on to be used.

        Raises:
            ConfigurationError: There is no such secret, or this function may not read it.
            RetryableError: Secret Manager cannot be reached, and there is no last value.
        """
        with self._looking_up:  # so that ten threads do not ask for the same
            held = self._held.get(name)
            if held is not None and self._now_s() - held.at_s < MAX_AGE_S:
                return held.value
            try:
                found = self._look_up(name)
            except RetryableError:
                if held is None:
                    raise
                return held.value
            self._held[name] = found
            return found.value

    def _look_up(self, name: str) -> _Held:
        from google.api_core.exceptions import Forbidden, GoogleAPICallError, NotFound

        where = f"{self._prefix}-{name}"
        if not _NAME.fullmatch(name):
            raise ConfigurationError(
                f"{name!r} cannot be the name of a secret.", remedy="Use letters, digits, _ and -."
            )
        path = f"projects/{self._project}/secrets/{where}/versions/latest"
        try:
            # The library's own retries would hold up all threads for a minute, and end in an error of another kind.
            answer = self._client.access_secret_version(name=path, retry=None, timeout=TIMEOUT_S)
        except NotFound:
            raise ConfigurationError(
                f"There is no secret {where!r} with a value in project {self._project!r}.",
                remedy=f"Name it in Terraform's `secrets`, then: gcloud secrets versions add {where} --data-file -",
            ) from None
        except Forbidden:
            raise ConfigurationError(
                f"This function may not read the secret {where!r}.",
                remedy="Name the function beside the secret in Terraform's `secrets`.",
            ) from None
        except GoogleAPICallError as error:
            raise RetryableError(
                f"Secret Manager did not give {where!r} ({type(error).__name__}).", code="secrets_unavailable"
            ) from None
        try:
            value = answer.payload.data.decode().strip()
        except UnicodeDecodeError:  # its message would show the value
            raise ConfigurationError(
                f"The secret {where!r} is no text in UTF-8.", remedy="Add a version that is."
            ) from None
        return _Held(answer.name.rpartition("/")[2], value, self._now_s())

    @cached_property
    def _client(self) -> SecretManagerServiceClient:
        from google.cloud.secretmanager_v1 import SecretManagerServiceClient

        return self._given or SecretManagerServiceClient()

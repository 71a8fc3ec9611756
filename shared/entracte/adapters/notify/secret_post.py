"""Posting to an address that is as good as a password: a secret holds it, and nothing that is said of it shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from entracte.adapters.notify.posting import Post
from entracte.errors import ConfigurationError, RetryableError, TerminalError
from entracte.ports.secrets import Secrets

_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,199}")


class SecretPost:
    """Posts to the address that the secret holds at the time, so that a new one counts without a deployment.

    Attributes:
        host: For messages. The real one stays out of them: with some services its name is the password.
    """

    def __init__(self, name: str, *, secrets: Secrets, loopback: bool = False) -> None:
        """Ask for nothing yet.

        Args:
            name: Of the secret.
            loopback: As `Post` takes it.

        Raises:
            ConfigurationError: No such name. It is not shown: it may be the address itself.
        """
        if not _NAME.fullmatch(name):
            raise ConfigurationError(
                "ENTRACTE_NOTIFY holds +secret: without the name of a secret after it.",
                remedy="Names are upper-case letters, digits and _, as in slack+secret:SLACK_DESK.",
                code="bad_notifier",
            )
        self.host = f"secret:{name}"
        self._name, self._secrets, self._loopback = name, secrets, loopback

    def __call__(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send it once.

        Raises:
            RetryableError, TerminalError: As `Post` does, or as the secrets port.
            ConfigurationError: There is no such secret, or it holds no address that could be posted to.
        """
        address = self._secrets.get(self._name)
        try:
            post = Post(address, loopback=self._loopback)
        except ConfigurationError as error:
            raise ConfigurationError(
                f"The secret {self._name!r} holds no address that a notice can go to: expected https://HOST/… alone.",
                remedy="Give it a new version.",
                code=error.code,
            ) from None
        try:
            post(body, headers)
        except (RetryableError, TerminalError) as error:
            kind = RetryableError if isinstance(error, RetryableError) else TerminalError
            host = re.escape(urlsplit(address).hostname or "")
            told = re.sub(rf"(?<!\w){host}(:\d+)?(?!\w)", self.host, error.message, flags=re.IGNORECASE)
            raise kind(told, remedy=error.remedy, code=error.code) from None

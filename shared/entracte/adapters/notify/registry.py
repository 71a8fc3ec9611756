"""Notifiers by address: ``console:``, ``webhook+https://…``, ``mailto:…``, ``slack+https://…``, ``gchat+https://…``.

In place of ``https://…`` there may be ``secret:NAME``: the secret of this name holds the address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from entracte.adapters.notify.console import ConsoleNotifier
from entracte.errors import ConfigurationError
from entracte.ports.clock import Clock
from entracte.ports.notifier import Notifier
from entracte.ports.secrets import Secrets

if TYPE_CHECKING:
    from entracte.adapters.notify.posting import Post
    from entracte.adapters.notify.secret_post import SecretPost

MAX_NOTIFIERS = 10

WEBHOOK_SECRET = "ENTRACTE_WEBHOOK_SECRET"
SMTP_PASSWORD = "ENTRACTE_SMTP_PASSWORD"


def open_notifiers(
    addresses: Sequence[str],
    *,
    secrets: Secrets,
    clock: Clock,
    smtp: str = "",
    sender: str = "",
    loopback: bool = False,
) -> tuple[Notifier, ...]:
    """The notifiers of these addresses; the log for none. Nothing is connected to yet.

    Args:
        smtp: Mail server, as `mail_server` takes it.
        sender: Address that mails come from.
        loopback: They may post to this machine, too.

    Raises:
        ConfigurationError: An address cannot be used. It is named by its beginning only: the rest may be a secret.
    """
    if len(addresses) > MAX_NOTIFIERS:
        raise ConfigurationError(f"ENTRACTE_NOTIFY names {len(addresses)} addresses; at most {MAX_NOTIFIERS} are told.")

    def posting(scheme: str, rest: str) -> Post | SecretPost:
        if scheme == "secret":
            from entracte.adapters.notify.secret_post import SecretPost

            return SecretPost(rest, secrets=secrets, loopback=loopback)
        from entracte.adapters.notify.posting import Post

        return Post(f"{scheme}:{rest}", loopback=loopback)

    def opened(address: str) -> Notifier:
        way, _, rest = address.partition(":")
        match way.lower().partition("+"):
            case "console", _, _:
                return ConsoleNotifier()
            case "mailto", "", _:
                if not smtp:
                    raise ConfigurationError(
                        "ENTRACTE_NOTIFY asks for e-mail, but there is no ENTRACTE_SMTP.", code="bad_notifier"
                    )
                from entracte.adapters.notify.email import EmailNotifier, mail_server

                password = lambda: secrets.get(SMTP_PASSWORD)  # noqa: E731 - a name is shorter than its definition
                return EmailNotifier(mail_server(smtp, sender), to=unquote(rest), password=password)
            case "webhook", "+", scheme:
                from entracte.adapters.notify.webhook import WebhookNotifier

                return WebhookNotifier(posting(scheme, rest), secret=lambda: secrets.get(WEBHOOK_SECRET), clock=clock)
            case "slack", "+", scheme:
                from entracte.adapters.notify.chat import ChatNotifier, slack_message

                return ChatNotifier("slack", posting(scheme, rest), slack_message)
            case "gchat", "+", scheme:
                from entracte.adapters.notify.chat import ChatNotifier, google_chat_message

                return ChatNotifier("gchat", posting(scheme, rest), google_chat_message)
            case _:
                raise ConfigurationError(
                    f"ENTRACTE_NOTIFY holds an address that begins with {way[:20]!r}.",
                    remedy="Known: console:, mailto:…, and webhook+, slack+ or gchat+ before https://… or secret:NAME",
                    code="bad_notifier",
                )

    return tuple(opened(address) for address in dict.fromkeys(addresses)) or (ConsoleNotifier(),)


def secrets_named(notify: str) -> tuple[str, ...]:
    """The secrets that this value of ENTRACTE_NOTIFY names in place of addresses."""
    return tuple(dict.fromkeys(re.findall(r"\+secret:([A-Z0-9_]+)", notify)))

"""Notices by e-mail, through the operator's own mail server, which may well be in a private network."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from entracte.errors import ConfigurationError, RetryableError, TerminalError
from entracte.ports.notifier import Notice

if TYPE_CHECKING:
    from email.message import EmailMessage
    from smtplib import SMTP

ANSWER_S = 10.0
"""Seconds that each answer of the mail server may take."""

_ADDRESS = re.compile(r"[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\]+")


class MailServer(Struct, frozen=True):
    """Where mail is handed in.

    Attributes:
        user: Empty when the server asks for none.
        sender: Address that notices come from.
        tls: Encrypted from the start. Otherwise as soon as the server offers it.
    """

    host: str
    port: int
    user: str
    sender: str
    tls: bool


def mail_server(url: str, sender: str = "") -> MailServer:
    """The server of ``smtp://[user@]host[:port]`` or ``smtps://…``.

    Raises:
        ConfigurationError: Not such an address, or no such sender.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("smtp", "smtps") or parts.password:
        raise ConfigurationError(
            "ENTRACTE_SMTP must be smtp://[USER@]HOST[:PORT] or smtps://…, without a password.",
            remedy="The password is the secret ENTRACTE_SMTP_PASSWORD.",
            code="bad_notifier",
        )
    tls = parts.scheme == "smtps"
    return MailServer(
        host=host,
        port=port or (465 if tls else 587 if parts.username else 25),
        user=unquote(parts.username or ""),
        sender=_checked(sender or f"entracte@{host}"),
        tls=tls,
    )


class EmailNotifier:
    """Sends plain text.

    Args:
        to: Who gets every notice; empty for those who may decide, where they are named by e-mail.
        password: Asked only if the server wants a user.
        trust: Whom to trust; the usual authorities by default.
    """

    name = "mailto"

    def __init__(
        self, server: MailServer, *, to: str = "", password: Callable[[], str], trust: ssl.SSLContext | None = None
    ) -> None:
        self._server, self._password, self._trust = server, password, trust
        self._to = (_checked(to),) if to else ()

    def reaches_only(self, name: str) -> bool:
        return bool(_ADDRESS.fullmatch(name)) and (not self._to or name.lower() == self._to[0].lower())

    def notify(self, notice: Notice) -> None:
        """Send it once. Repeated notices carry the same Message-ID."""
        import smtplib

        to = self._to or tuple(name for name in notice.to if _ADDRESS.fullmatch(name))
        if not to:
            raise TerminalError(f"None of those who may decide gate {notice.gate} is named by e-mail.")
        message = self._message(notice, to)
        try:
            with self._connected() as server:
                server.send_message(message)
        except smtplib.SMTPRecipientsRefused as refused:
            codes = [code for code, _ in refused.recipients.values()]
            raise self._fault(f"took none of the recipients ({codes})", again=min(codes) < 500) from None
        except smtplib.SMTPResponseException as error:
            raise self._fault(f"answered {error.smtp_code}", again=error.smtp_code < 500) from None
        except smtplib.SMTPNotSupportedError as error:
            raise self._fault(str(error), again=False) from None
        except (OSError, smtplib.SMTPException) as error:
            raise self._fault(f"cannot be used: {type(error).__name__} {error}", again=True) from None

    def _connected(self) -> SMTP:
        import smtplib

        server, trust = self._server, self._trust or ssl.create_default_context()  # smtplib's own checks no certificate
        if server.tls:
            connection: SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=ANSWER_S, context=trust)
            encrypted = True
        else:
            connection = smtplib.SMTP(server.host, server.port, timeout=ANSWER_S)
            encrypted = False
        try:
            if not encrypted and connection.ehlo()[0] == 250 and connection.has_extn("starttls"):
                connection.starttls(context=trust)
                encrypted = True
            if server.user and not encrypted:
                raise self._fault("offers no encryption, so it is not given the password", again=False)
            if server.user:
                connection.login(server.user, self._password())
        except BaseException:
            connection.close()
            raise
        return connection

    def _message(self, notice: Notice, to: Sequence[str]) -> EmailMessage:
        from email.message import EmailMessage

        message = EmailMessage()
        told = "\0".join((notice.kind, notice.gate, notice.run, notice.link, *to))
        same = sha256(told.encode()).hexdigest()[:24]
        message["Message-ID"] = f"<{same}@{self._server.sender.rpartition('@')[2]}>"
        message["From"] = self._server.sender
        message["To"] = ", ".join(to)
        message["Subject"] = " ".join(notice.title.split())[:200]
        parts = (notice.title, "\n".join(notice.lines), notice.link, notice.how)
        message.set_content("\n\n".join(part for part in parts if part) + "\n")
        return message

    def _fault(self, what: str, *, again: bool) -> RetryableError | TerminalError:
        text = f"The mail server {self._server.host} {what}."
        if again:
            return RetryableError(text, code="notifier_unavailable")
        return TerminalError(text, code="notifier_refused")


def _checked(address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        raise ConfigurationError(f"{address[:100]!r} is no e-mail address.", code="bad_notifier")
    return address

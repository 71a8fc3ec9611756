"""Mail to customers: a copy of each message in the outbox folder, and SMTP when a server is configured."""

from __future__ import annotations

import hashlib
import os
import ssl
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP as CRLF
from pathlib import Path
from smtplib import (
    SMTP,
    SMTP_SSL,
    SMTPException,
    SMTPNotSupportedError,
    SMTPRecipientsRefused,
    SMTPResponseException,
)
from urllib.parse import urlsplit

from crm.records import SentEmail
from entracte.errors import ConfigurationError, ToolError

SENDER = "Support <support@entracte.example>"

ANSWER_S = 20.0
"""Seconds that each answer of the mail server may take."""


@dataclass(frozen=True, slots=True)
class Outbox:
    """A folder with one ``.eml`` file for each message sent, named after its idempotency key.

    Without a server the file is the message. With one, the copy is written after the server took it; so a crash between
    the two lets a repeated call send twice, and send_email does not claim to be idempotent.

    Attributes:
        smtp_url: ``smtp://[user@]host[:port]`` or ``smtps://…``; empty for files only.
        sender: Address that messages come from.
    """

    folder: Path
    smtp_url: str = ""
    sender: str = SENDER

    def send(self, key: str, to: str, subject: str, body: str, password: Callable[[], str]) -> SentEmail:
        """Send a message, or do nothing if it was sent with this key before.

        Args:
            password: Asked only if `smtp_url` names a user.

        Raises:
            ToolError: Not a message, the server took none, or the key belongs to another message; nothing was sent.
        """
        name = _hash(key)[:24]
        copy = self.folder / f"{name}.eml"
        # Told apart by the id, which names key and content. A longer one would not fit into a line, and be garbled.
        message_id = f"<{name}.{_hash(to, subject, body)[:12]}@entracte.example>"
        message = self._message(message_id, to, subject, body)
        if not copy.exists():
            if self.smtp_url:
                self._deliver(message, password)
            _keep(copy, message.as_bytes(policy=CRLF))
        if message_from_bytes(copy.read_bytes(), policy=CRLF)["Message-ID"] != message_id:
            raise ToolError(
                f"The idempotency key {key!r} belongs to another message.", remedy="Give each call a key of its own."
            )
        return SentEmail(message_id=message_id, to=to, subject=subject, file=copy.name)

    def _message(self, message_id: str, to: str, subject: str, body: str) -> EmailMessage:
        message = EmailMessage()
        try:
            message["Date"] = datetime.now(UTC)
            message["Message-ID"] = message_id
            message["From"] = self.sender
            message["To"] = to
            message["Subject"] = subject
        except ValueError as error:  # a line feed would begin a header of the writer's choice
            raise ToolError(
                f"Not a message: {error}. Nothing was sent.", remedy="Keep address and subject on one line."
            ) from error
        message.set_content(body)
        return message

    def _deliver(self, message: EmailMessage, password: Callable[[], str]) -> None:
        url = urlsplit(self.smtp_url)
        try:
            secret = password() if url.username else ""
            server = self._connect()
        except (OSError, SMTPException, ConfigurationError) as error:
            raise ToolError(f"The mail server {url.hostname} cannot be used: {error} Nothing was sent.") from error
        with server:
            try:
                if url.username:
                    server.login(url.username, secret)
                server.send_message(message)
            except (SMTPResponseException, SMTPRecipientsRefused, SMTPNotSupportedError) as error:
                # The server said no. A cut connection or a timeout says nothing, so it goes on as it is.
                raise ToolError(
                    f"The mail server {url.hostname} refused the message: {error}. Nothing was sent."
                ) from error

    def _connect(self) -> SMTP_SSL | SMTP:
        url = urlsplit(self.smtp_url)
        tls = ssl.create_default_context()  # smtplib's own checks no certificate
        if url.scheme == "smtps":
            return SMTP_SSL(url.hostname or "", url.port or 0, timeout=ANSWER_S, context=tls)
        server = SMTP(url.hostname or "", url.port or 0, timeout=ANSWER_S)
        if server.ehlo()[0] == 250 and server.has_extn("starttls"):
            server.starttls(context=tls)
        return server


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _keep(copy: Path, content: bytes) -> None:
    """Write a whole file or none, and leave one that is there as it is."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=copy.parent, prefix=".", suffix=".eml") as draft:
        draft.write(content)
        draft.flush()
        try:
            os.link(draft.name, copy)
        except FileExistsError:
            return

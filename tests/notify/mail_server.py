"""A mail server on this machine that keeps what it is sent, or refuses it; encrypted once it has been asked to."""

from __future__ import annotations

import socketserver
import ssl
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from threading import Thread
from types import TracebackType
from typing import Any


class MailServer(socketserver.ThreadingTCPServer):
    """Speaks as much of RFC 5321 and RFC 3207 as smtplib asks for.

    Attributes:
        replies: Reply to a command, in place of the usual one.
        received: Each message, and whether it came encrypted.
        logins: What was sent with AUTH, and whether it came encrypted.
    """

    daemon_threads = True

    def __init__(self, *, tls: ssl.SSLContext | None = None, **replies: str) -> None:
        super().__init__(("127.0.0.1", 0), _Dialogue)
        self.tls, self.replies = tls, replies
        self.received: list[tuple[EmailMessage, bool]] = []
        self.logins: list[tuple[str, bool]] = []

    @property
    def address(self) -> str:
        """``host:port``."""
        return f"localhost:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are none of the test's business."""

    def __enter__(self) -> MailServer:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()


class _Dialogue(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        encrypted = False
        self.say("220 ready")
        while line := self.rfile.readline():
            verb = line.split()[0].decode().upper()
            if verb in self.server.replies:
                self.say(self.server.replies[verb])
                continue
            match verb:
                case "EHLO":
                    offers = ["STARTTLS"] if self.server.tls is not None and not encrypted else []
                    self.say("250-localhost", *(f"250-{offer}" for offer in offers), "250 AUTH PLAIN")
                case "STARTTLS":
                    assert self.server.tls is not None
                    self.say("220 go")
                    self.request = self.connection = self.server.tls.wrap_socket(self.request, server_side=True)
                    self.rfile = self.connection.makefile("rb")
                    self.wfile = self.connection.makefile("wb", buffering=0)
                    encrypted = True
                case "AUTH":
                    self.server.logins.append((line.split()[2].decode(), encrypted))
                    self.say("235 welcome")
                case "DATA":
                    self.say("354 go on")
                    content = b"".join(iter(self.rfile.readline, b".\r\n"))
                    self.server.received.append((message_from_bytes(content, policy=SMTP), encrypted))
                    self.say("250 taken")
                case "QUIT":
                    self.say("221 bye")
                    return
                case _:
                    self.say("250 ok")

    def finish(self) -> None:
        super().finish()
        self.connection.close()  # after STARTTLS another one than the server closes by itself

    def say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())

"""A small SMTP server that keeps what it is sent, or refuses it."""

from __future__ import annotations

import socketserver
from collections.abc import Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from threading import Thread
from types import TracebackType
from typing import Literal

Mood = Literal["accepts", "refuses", "hangs up"]


class MailServer(socketserver.ThreadingTCPServer):
    """Speaks as much of RFC 5321 as smtplib asks for.

    Attributes:
        mood: What it does with a message.
        meanwhile: What happens elsewhere while it takes one.
    """

    daemon_threads = True

    def __init__(self, mood: Mood = "accepts") -> None:
        super().__init__(("127.0.0.1", 0), _Dialogue)
        self.mood = mood
        self.received: list[EmailMessage] = []
        self.meanwhile: Callable[[], object] = lambda: None

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"

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
        self.wfile.write(b"220 ready\r\n")
        for line in self.rfile:
            match line.split()[0].upper():
                case b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    content = b"".join(iter(self.rfile.readline, b".\r\n"))
                    if self.server.mood == "hangs up":
                        return
                    if self.server.mood == "refuses":
                        self.wfile.write(b"554 no\r\n")
                        continue
                    self.server.meanwhile()
                    self.server.received.append(message_from_bytes(content, policy=SMTP))
                    self.wfile.write(b"250 taken\r\n")
                case b"QUIT":
                    self.wfile.write(b"221 bye\r\n")
                    return
                case _:
                    self.wfile.write(b"250 ok\r\n")

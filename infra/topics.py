"""Topics and push subscriptions on the Pub/Sub emulator. Where the real ones are, Terraform makes them.

Over REST, which the emulator speaks beside gRPC: importing Google's client takes half a second.
"""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from dataclasses import dataclass

_TIMEOUT_S = 10

_ACK_DEADLINE_S = 600
"""Also the time that a push may take. A handler that takes longer is given the message again while it still works."""


class TopicsFailed(Exception):
    """The emulator did not make or remove something; says what, and what it answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """One topic for each kind of message, ``{prefix}-{kind}``, in one project of the emulator.

    Attributes:
        emulator: ``host:port``.
    """

    emulator: str
    project: str
    prefix: str

    def create(self, kind: str) -> None:
        """Make the topic, unless it is there."""
        self._call("PUT", self._topic(kind), {})

    def push(self, kind: str, endpoint: str) -> None:
        """Send the topic's messages to an HTTP address; to that one alone, if there was another before."""
        self.subscribe(kind, {"pushConfig": {"pushEndpoint": endpoint}})

    def subscribe(self, kind: str, settings: dict[str, object]) -> str:
        """Make the subscription, anew if it is there, and give its full name. Without settings it is to be pulled."""
        self.unsubscribe(kind)
        name = self._subscription(kind)
        standard = {
            "topic": self._topic(kind),
            "ackDeadlineSeconds": _ACK_DEADLINE_S,
            "retryPolicy": {"minimumBackoff": "1s", "maximumBackoff": "60s"},
        }
        self._call("PUT", name, standard | settings)
        return name

    def unsubscribe(self, kind: str) -> None:
        """Remove the subscription, if it is there."""
        self._call("DELETE", self._subscription(kind), {})

    def _topic(self, kind: str) -> str:
        return f"projects/{self.project}/topics/{self.prefix}-{kind}"

    def _subscription(self, kind: str) -> str:
        return f"projects/{self.project}/subscriptions/{self.prefix}-{kind}"

    def _call(self, method: str, name: str, body: dict[str, object]) -> None:
        """Have it done. That it was done before (409 of PUT, 404 of DELETE) is as good."""
        doing = f"{method} {name} at the Pub/Sub emulator, {self.emulator}"
        try:
            with closing(http.client.HTTPConnection(self.emulator, timeout=_TIMEOUT_S)) as connection:
                connection.request(method, f"/v1/{name}", json.dumps(body), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                text = answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            raise TopicsFailed(f"{doing}: no answer: {error}") from None
        if answer.status != 200 and (method, answer.status) not in {("PUT", 409), ("DELETE", 404)}:
            raise TopicsFailed(f"{doing}: refused: {text}")

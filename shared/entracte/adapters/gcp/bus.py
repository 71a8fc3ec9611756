"""The bus on Google Cloud Pub/Sub, and on its emulator where ``PUBSUB_EMULATOR_HOST`` says so."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import wait

from google.api_core import exceptions, retry
from google.cloud import pubsub_v1

from entracte.core.messages import Message, topic_of
from entracte.errors import RetryableError

_TIMEOUT_S = 20.0
"""For all tries to publish one message. A handler must still have time to nack."""

_WORTH_ANOTHER_TRY = (
    exceptions.Aborted,
    exceptions.DeadlineExceeded,
    exceptions.InternalServerError,
    exceptions.ResourceExhausted,
    exceptions.ServiceUnavailable,
    exceptions.Unknown,
)


class PubSubBus:
    """Publishes to one topic for each kind of message: ``{prefix}-{kind}``. The topics must exist."""

    def __init__(
        self,
        project: str,
        *,
        prefix: str = "entracte",
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        """Connect to nothing yet.

        Args:
            timeout_s: Seconds within which a message must have been confirmed.
        """
        self._project = project
        self._prefix = prefix
        self._timeout_s = timeout_s
        self._retry = retry.Retry(
            predicate=retry.if_exception_type(*_WORTH_ANOTHER_TRY), initial=0.1, maximum=2.0, timeout=timeout_s
        )
        self._lock = threading.Lock()
        self._publisher: pubsub_v1.PublisherClient | None = None
        self._closed = False

    def publish(self, messages: Sequence[Message]) -> None:
        """Send all, then wait for all confirmations; the first failure is raised when every message has its answer."""
        if not messages:
            return
        publisher = self._connected()
        sent = []
        for message in messages:
            topic = publisher.topic_path(self._project, f"{self._prefix}-{topic_of(message.kind)}")
            confirmation = publisher.publish(
                topic, message.encode(), retry=self._retry, timeout=self._timeout_s, kind=message.kind, run=message.run
            )
            sent.append((topic, confirmation))
        # Longer than the client's own limit: for confirmations that never come, such as from a thread that died.
        _, late = wait([confirmation for _, confirmation in sent], timeout=self._timeout_s + 5)
        for topic, confirmation in sent:
            error = TimeoutError("no answer") if confirmation in late else confirmation.exception()
            if error is not None:
                raise self._failure(topic, error) from error

    def _connected(self) -> pubsub_v1.PublisherClient:
        """The client, made when it is first needed: the functions framework forks after it has loaded the function,
        and gRPC's threads and connections do not survive a fork.
        """
        with self._lock:
            if self._closed:
                raise RuntimeError("The bus is closed.")
            if self._publisher is None:
                # Sent at once: handlers publish few messages and wait for them.
                batches = pubsub_v1.types.BatchSettings(max_messages=1)
                self._publisher = pubsub_v1.PublisherClient(batch_settings=batches)
            return self._publisher

    def _failure(self, topic: str, error: BaseException) -> RetryableError:
        match error:
            case exceptions.NotFound():
                return RetryableError(
                    f"The Pub/Sub topic {topic} does not exist.",
                    remedy="Terraform makes it in Google Cloud, `entracte dev` on this machine.",
                    code="topic_missing",
                )
            case exceptions.PermissionDenied():
                return RetryableError(
                    f"Publishing to the Pub/Sub topic {topic} is not allowed: {error}",
                    remedy="Grant roles/pubsub.publisher on it to the service account of this function.",
                    code="topic_forbidden",
                )
            case _:
                return RetryableError(
                    f"The Pub/Sub topic {topic} did not confirm a message within {self._timeout_s:g} s: {error}",
                    remedy="If PUBSUB_EMULATOR_HOST is set, check that the emulator runs there.",
                    code="bus_unavailable",
                )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._publisher is not None:
                self._publisher.stop()
                self._publisher.transport.close()
                self._publisher = None

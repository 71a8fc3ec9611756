"""The model port: one request built from state, one reply."""

from __future__ import annotations

from typing import Protocol

from entracte.core.modelling import ModelReply, ModelRequest, OnDelta


class Model(Protocol):
    """A language model behind some service."""

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask once. An odd reply (empty, cut off, not the JSON asked for) is a reply with a `fault`, not an error.

        Args:
            deadline_s: Seconds that the call may take, retries included.
            on_delta: Is told the reply as it is written, in order and on the calling thread; with it the service is
                asked for a stream. The whole reply is returned all the same, and is the one that counts: what was
                told may end in a fault, and text that calls follow turns out to have been a thought. Only what people
                read is told: thoughts, and text where no schema is set. A model that does not stream tells nothing.
                Whatever it raises ends the stream at once and is raised here: so a call in flight is cancelled.

        Raises:
            ModelUnavailable: Overloaded, down, timed out or cut off: worth another try later.
            ModelRefused: Wrong key, unknown model, request not acceptable: trying again would fail again.
        """
        ...

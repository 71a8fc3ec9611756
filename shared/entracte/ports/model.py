"""The model port: one request built from state, one reply."""

from __future__ import annotations

from typing import Protocol

from entracte.core.modelling import ModelReply, ModelRequest


class Model(Protocol):
    """A language model behind some service."""

    def generate(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:
        """Ask once. An odd reply (empty, cut off, not the JSON asked for) is a reply with a `fault`, not an error.

        Args:
            deadline_s: Seconds that the call may take, retries included.

        Raises:
            ModelUnavailable: Overloaded, down or timed out: worth another try later.
            ModelRefused: Wrong key, unknown model, request not acceptable: trying again would fail again.
        """
        ...

"""What the client's agent is told about the gateway, beside what its servers say themselves. Pure."""

from __future__ import annotations

from collections.abc import Mapping

OWN_WORDS = """\
Every call of these tools is recorded by Entracte, and what it changes can be taken back later.

Some calls need a person's approval. Such a call is not made: it is answered at once with an error that begins with \
HELD and names a gate and the command that approves it. Show the person that command, word for word, and wait. When \
they say that it is approved, make the very same call again, with exactly the same arguments: it is then made, once. \
Other arguments are another call, which needs its own approval. An approval lapses after an hour. A call that was \
DENIED must not be tried in another way.

A call answered with IN DOUBT may have happened. Do not repeat it: a person finds out, and says so at the gate. A call \
answered with UNDER WAY is still being made: ask again later."""


def instructions(by_server: Mapping[str, str]) -> str:
    """The whole text.

    Args:
        by_server: What each server says of itself; empty texts are left out.
    """
    said = {name: text.strip() for name, text in by_server.items() if text.strip()}
    match list(said.items()):
        case []:
            return OWN_WORDS
        case [(_, text)] if len(by_server) == 1:
            return f"{text}\n\n{OWN_WORDS}"
        case several:
            return "\n\n".join([*(f"{name}: {text}" for name, text in several), OWN_WORDS])

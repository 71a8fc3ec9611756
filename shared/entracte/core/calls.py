"""A tool call on its way: asked for, prepared, ended."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct, field

from entracte.core.evolving import Evolving
from entracte.core.modelling import Usage
from entracte.core.payload import Payload


class Call(Evolving, frozen=True, kw_only=True):
    """One call of one tool, with everything that its context tells the tool.

    Attributes:
        action: Id of the action.
        arguments: As the model wrote them, or as prepared.
        idempotency_key: Equal for every attempt of the same call.
        attempt: 1 for the first.
        deadline: When the call must have ended.
        prepared: The arguments are those that `Tools.prepare` gave.
        known: What is kept of the record that it changes: before it, and after it.
    """

    run: str
    session: str
    frame: str
    agent: str
    step: int
    action: str
    tool: str
    arguments: Mapping[str, Any]
    idempotency_key: str
    attempt: int
    user: str
    metadata: Mapping[str, str]
    deadline: datetime
    prepared: bool = False
    known: tuple[Payload, ...] = ()


class Record(Struct, frozen=True, kw_only=True):
    """What a snapshot tool said of the record that a call changes.

    Attributes:
        present: It is there.
        value: What it is, as JSON.
        error: Why it could not be read; then nothing is known.
    """

    present: bool = False
    value: Any = None
    error: str = ""


class Prepared(Struct, frozen=True, kw_only=True):
    """What became of a call before it was made.

    Attributes:
        arguments: Effective arguments, valid for the tool's schema. Only meaningful when `refusal` is empty.
        refusal: Why the call will not be made; empty when it may.
        blocked: The refusal came from a hook, not from the schema.
        directives: What hooks asked for.
        record: What the call will change, as it is before; None where the policy does not ask for it.
        usage: What models used that were asked on the way.
        diff: What the call would change, as lines of a unified diff, where the tool can tell; for the gate's preview.
    """

    arguments: Mapping[str, Any] = {}
    refusal: str = ""
    blocked: bool = False
    directives: Directives = field(default_factory=lambda: Directives())
    record: Record | None = None
    diff: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


class Directives(Struct, frozen=True, kw_only=True):
    """What a tool or hook asked for beside its result; applied with the step's results.

    Attributes:
        state: State diffs, in the order they were made.
        disabled_tools, disabled_agents: Names that leave the frame's context.
        terminate: Final answer that ends the frame, a JSON value; None when it goes on.
    """

    state: tuple[Mapping[str, Any], ...] = ()
    disabled_tools: tuple[str, ...] = ()
    disabled_agents: tuple[str, ...] = ()
    terminate: Any = None


class ServerAnswer(Struct, frozen=True, kw_only=True):
    """What an MCP server answered to a call.

    Attributes:
        value: JSON value that agents see and inverses refer to as ``$result``; meaningless beside an error.
        error: Why the tool did not do it, in the server's words; empty when it did.
        certain: With an error: the server says that nothing was done, rather than that something went wrong.
        native: The answer as it came, a CallToolResult; or ``{"error": {"code", "message", …}}``.
    """

    value: Any = None
    error: str = ""
    certain: bool = True
    native: Mapping[str, Any] = {}


Ending = Literal["applied", "failed", "blocked", "unknown"]
"""How a call ended. `failed`: the tool said that it did nothing. `unknown`: nobody can say whether it did something."""


class ToolOutcome(Struct, frozen=True, kw_only=True):
    """The end of one call.

    Attributes:
        ending: How it ended.
        result: JSON value; meaningful when applied.
        raw: The same as it was before the hooks; what an inverse is resolved from.
        record: What the call changed, as it is afterwards; None where the policy does not ask for it.
        arguments: Effective arguments, when the call prepared them itself.
        error: Why it did not apply, in words for the agent; empty when it did.
        lost: The error is not the tool's own word: it did not end in time, or broke off.
        called: False when its time was over before it could begin: then surely nothing was done.
        warnings: What went wrong without changing the ending.
        directives: What the tool and the hooks asked for.
        progress: What the tool reported on the way.
        usage: What the models that the tool asked used.
        native: The MCP server's answer as it came, see `ServerAnswer`; None for tools in process, and where a hook
            changed the result. It is handed on, never kept.
    """

    ending: Ending
    result: Any = None
    raw: Any = None
    record: Record | None = None
    arguments: Mapping[str, Any] | None = None
    error: str = ""
    lost: bool = False
    called: bool = True
    warnings: tuple[str, ...] = ()
    directives: Directives = field(default_factory=Directives)
    progress: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    native: Mapping[str, Any] | None = None

"""What phases ask for between decide and conclude, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from entracte.core.calls import Call, Prepared, Record, ToolOutcome
from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate
from entracte.core.modelling import ModelReply, ModelRequest
from entracte.core.policy.rule import SnapshotRule
from entracte.core.vector import Vector
from entracte.errors import TerminalError


class Fetch(Struct, frozen=True):
    """Effect: read more documents, as they are now.

    Attributes:
        shelves: Paths of sessions and shelves whose active artifacts are read, without contents that lie in chunks.
    """

    paths: tuple[str, ...] = ()
    shelves: tuple[str, ...] = ()


class AskModel(Struct, frozen=True):
    """Effect: ask a model. Its result is a `ModelReply` or the `TerminalError` that the model port raised.

    Attributes:
        closing: Nothing is left for more: the reply is the frame's answer.
        watched: Somebody watches the run: what the model writes is shown while it writes.
    """

    request: ModelRequest
    closing: bool = False
    watched: bool = False


class PrepareCall(Struct, frozen=True):
    """Effect: run hooks, check arguments, and read what the call will change. Its result is a `Prepared`."""

    call: Call
    snapshot: SnapshotRule | None = None


class MakeCall(Struct, frozen=True):
    """Effect: call a tool, and read afterwards what it changed. Its result is a `ToolOutcome`.

    Attributes:
        about: Arguments that the snapshot rule refers to; None for those of the call.
        hooks: Run the network's hooks; not for the calls that Entracte makes by itself.
    """

    call: Call
    snapshot: SnapshotRule | None = None
    about: Mapping[str, Any] | None = None
    hooks: bool = True


class ReadRecord(Struct, frozen=True):
    """Effect: read what a call changes, as it is now. Its result is a `Record`."""

    call: Call
    snapshot: SnapshotRule


class Announce(Struct, frozen=True):
    """Effect: tell those who may decide a gate that it waits. Its result says by which ways they were told."""

    gate: Gate
    reminder: bool = False


class Survey(Struct, frozen=True):
    """Effect: find what a run has done. Its result is a `Surveyed`."""

    run: str


class Surveyed(Struct, frozen=True):
    """The actions of a run that have changed something or may have, in the order of their effects, oldest first.

    Those that were taken back keep their place.
    """

    actions: tuple[Action, ...]


class Recall(Struct, frozen=True, kw_only=True):
    """Effect: look up what is remembered of an owner and may matter. Its result is a `Recalled`.

    Attributes:
        text: What it may matter for.
    """

    owner: str
    text: str


class Recalled(Struct, frozen=True):
    """What was found, a line each, and why not more could be looked up, if so."""

    lines: tuple[str, ...]
    error: str = ""


class Embed(Struct, frozen=True):
    """Effect: ask the embedding model what texts mean. Its result is an `Embedded`, or the model's `TerminalError`."""

    texts: tuple[str, ...]


class Embedded(Struct, frozen=True):
    """A vector for each text; None for one that says nothing."""

    vectors: tuple[Vector | None, ...]


class ShapeStage(Struct, frozen=True):
    """Effect: run the functions that a pipeline's author gave. Its result is a `Shaped` or a `TerminalError`.

    Attributes:
        transform: Stage whose function is applied to the result; None for none.
        task: Stage whose function makes its task of that; None for none.
        result: What the last stage gave.
    """

    pipeline: str
    transform: int | None
    task: int | None
    result: Any


class Shaped(Struct, frozen=True, kw_only=True):
    """What the functions gave: the last stage's result, and the next one's task where it was asked for."""

    result: Any
    task: Any = None


Effect = AskModel | PrepareCall | MakeCall | ReadRecord | Announce | Survey | Recall | Embed | ShapeStage
"""What is done outside. A `Fetch` is not: it is the engine's own."""

Result = ModelReply | Shaped | Prepared | ToolOutcome | Record | Surveyed | Recalled | Embedded | TerminalError | str

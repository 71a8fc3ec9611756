"""One rule of the manifest, as the phases read it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from entracte.core.policy.faults import Path
from entracte.core.template import Template

ToolClass = Literal["readonly", "reversible", "compensable", "irreversible"]
"""What a call of the tool leaves behind: nothing, what can be restored, what can be offset, what stays."""

Gate = Literal["always", "on_write", "never"]
"""When a person is asked before the call."""


class CallRule(Struct, frozen=True, kw_only=True):
    """A call that Entracte makes by itself.

    Attributes:
        tool: Exact name.
        args: Resolves to the arguments, a JSON object.
        absent_when: Part of an error text that means "not there"; empty when the tool has no such text.
    """

    tool: str
    args: Template
    absent_when: str = ""


class SnapshotRule(CallRule, frozen=True, kw_only=True):
    """How the state before a write is read. Its arguments refer to `$` only."""


class InverseRule(CallRule, frozen=True, kw_only=True):
    """How a call is undone. Its arguments refer to `$`, `$snapshot` and `$result`."""


class Rule(Struct, frozen=True, kw_only=True):
    """What holds for the tools that a pattern matches.

    Attributes:
        match: Pattern; empty for the rule of tools that no pattern matches.
        snapshot: None when the prior state is not read.
        inverse: Present for reversible and compensable tools, and only for them.
        ignore: Paths into the snapshot, such as ``updated_at``, that drift checks leave out.
        merge_fields: Undo restores only the fields that the call changed.
        idempotent, timeout_s: None when the manifest leaves it to the tool. Seconds.
        approvers: E-mail addresses in lower case; empty: whoever may operate the network.
        quorum: How many different people have to approve, from 1.
        expires_s: Seconds until an unanswered gate expires, which denies the call; None for never.
        question: Text with references to `$` and, with a snapshot, `$snapshot`; or None.
        path: Where the rule stands in the manifest; empty for the rule of unmatched tools.
    """

    match: str
    tool_class: ToolClass
    gate: Gate
    snapshot: SnapshotRule | None = None
    inverse: InverseRule | None = None
    ignore: tuple[str, ...] = ()
    merge_fields: bool = False
    idempotent: bool | None = None
    timeout_s: float | None = None
    approvers: tuple[str, ...] = ()
    quorum: int = 1
    four_eyes: bool = False
    editable: bool = False
    expires_s: int | None = None
    question: Template | None = None
    path: Path = ()

    @property
    def is_readonly(self) -> bool:
        return self.tool_class == "readonly"

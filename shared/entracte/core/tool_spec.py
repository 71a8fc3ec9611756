"""A tool as plain data: what is known of it without running it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from entracte.core.documents.artifact import ArtifactType
from entracte.core.policy.rule import Rule

Effect = Literal["readonly", "changing"]


class ToolSpec(Struct, frozen=True, kw_only=True):
    """What is known of a tool without running it.

    Attributes:
        summary: One line: what it does.
        instruction: How to use it well.
        parameters: JSON Schema of its arguments.
        effect: ``readonly`` changes nothing and may be called again at will.
        evaluation: By what a result is judged, shown to the evaluating model only.
        timeout_s: Seconds a call may take.
        idempotent: It honours the idempotency key: a second call with the same key does nothing more.
        persist: Its results are kept as artifacts of this type; empty for none.
        artifacts: It works with artifacts, so that its network's agents are shown which there are.
        rule: What it says of its own calls, as a manifest's rule would; counts where the manifest does not name it.
        asks: It is a question to a person, whose answer is its result; nothing is called.
    """

    name: str
    summary: str
    parameters: Mapping[str, Any]
    instruction: str = ""
    effect: Effect = "changing"
    evaluation: str = ""
    timeout_s: float = 30.0
    idempotent: bool = False
    persist: ArtifactType | Literal[""] = ""
    artifacts: bool = False
    rule: Rule | None = None
    asks: bool = False

    @property
    def readonly(self) -> bool:
        return self.effect == "readonly"

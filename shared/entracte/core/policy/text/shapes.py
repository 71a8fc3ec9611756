"""The shape of a manifest: which keys there are, of which type, and what each is for.

Read twice: by pydantic when a manifest is loaded, and by editors as a JSON Schema (schema.py). What keys must keep
together is in coherence.py.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from entracte.core.policy.rule import Gate, ToolClass

_CHARACTER = r"[^\s*?\[\]{}$,.]"
_PART = rf"(?:\*|\*?{_CHARACTER}+(?:\*{_CHARACTER}+)*\*?)"

TOOL = rf"^{_CHARACTER}+(?:\.{_CHARACTER}+)*$"
MATCH = rf"^{_PART}(?:\.{_PART})*$"
SERVER = rf"^{_CHARACTER}+$"
DURATION = r"^[1-9][0-9]{0,5}[smhd]$"
EXPIRES = rf"^never$|{DURATION}"
EMAIL = r"^[A-Za-z0-9.!#%&'*+/=?^_`|~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$"
URL = r"^https?://[^\s/?#]+[^\s]*$"
VARIABLE = r"\$\{[A-Za-z_][A-Za-z0-9_]*\}"

WORDS: dict[str, str] = {
    TOOL: "the exact name of a tool, such as crm.get_customer",
    MATCH: "the name of a tool, in which * stands for any run of characters but dots",
    SERVER: "the name of a server, without dots",
    DURATION: "a duration such as 30s, 5m, 2h or 7d",
    EXPIRES: "never, or a duration such as 30s, 5m, 2h or 7d",
    EMAIL: "an e-mail address",
    URL: "a URL that begins with https:// or http://",
}
"""What to expect where a pattern does not match."""


def _given(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("empty", "empty")
    return value


def _whole(value: Any) -> Any:
    if type(value) is not int:  # 1.0 and true would equal 1
        raise PydanticCustomError("literal_error", "not 1", {"expected": "1"})
    return value


_T = TypeVar("_T")

# Left out or given; a key with nothing behind it is a slip.
_Maybe = Annotated[_T | None, BeforeValidator(_given)]
_Text = Annotated[str, Field(min_length=1)]
_Url = Annotated[str, Field(pattern=URL, json_schema_extra={"pattern": f"{URL}|{VARIABLE}"})]
_Email = Annotated[str, Field(pattern=EMAIL, json_schema_extra={"pattern": f"{EMAIL}|{VARIABLE}"})]


class Shape(BaseModel):
    """Unknown keys and values of another type are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ServerShape(Shape):
    """An MCP server: one that is started by a command, or one that is reached by a URL."""

    command: _Maybe[_Text] = Field(None, description="Program to start. It speaks MCP on its standard streams.")
    args: list[str] = Field([], description="Arguments of the command, one each: no shell takes them apart.")
    env: dict[str, str] = Field({}, description="Environment variables of the command. ${NAME} takes one of ours.")
    url: _Maybe[_Url] = Field(None, description="Address of a server that speaks MCP over streamable HTTP.")
    headers: dict[str, str] = Field({}, description="HTTP headers sent to the URL. ${NAME} takes a variable.")


class CallShape(Shape):
    """A call of a tool that Entracte makes by itself."""

    tool: str = Field(pattern=TOOL, description="Exact name of the tool: server.tool, or without a dot in process.")
    args: dict[str, Any] = Field(
        {}, description="Arguments. $ is the call's arguments, $snapshot and $result what their names say: $.id"
    )
    absent_when: _Maybe[_Text] = Field(
        None, description="Part of the error text by which the tool says that the thing is not there; case is ignored."
    )


class SnapshotShape(CallShape):
    """How the state before a write is read. The tool must be readonly; its arguments can only refer to $."""


class InverseShape(CallShape):
    """The call that puts back what was there, or offsets the write."""


class RuleShape(Shape):
    """What holds for the tools that a pattern matches. Of several, that with most literal characters counts."""

    match: str = Field(pattern=MATCH, description="Name of a tool; * stands for any run of characters but dots.")
    class_: ToolClass = Field(
        alias="class",
        description="readonly: changes nothing. reversible: the prior state can be restored exactly. "
        "compensable: another call offsets it. irreversible: neither.",
    )
    gate: _Maybe[Gate] = Field(
        None,
        description="When a person is asked first. on_write: unless the arguments hold SQL that only reads, for sure. "
        "By default always for irreversible tools, else never.",
    )
    snapshot: _Maybe[SnapshotShape] = Field(None, description="How the state before a write is read.")
    inverse: _Maybe[InverseShape] = Field(None, description="The call that undoes a call.")
    ignore: list[_Text] = Field([], description="Fields of the snapshot that change by themselves: no drift.")
    merge: _Maybe[Literal["fields"]] = Field(
        None, description="fields: undo restores only the fields that the call changed."
    )
    idempotent: _Maybe[bool] = Field(
        None, description="Honours the idempotency key: may be called again after a crash."
    )
    timeout: _Maybe[Annotated[str, Field(pattern=DURATION)]] = Field(None, description="How long a call may take.")
    approvers: list[_Email] = Field([], description="Who may decide. By default, whoever may operate the network.")
    quorum: int = Field(1, ge=1, description="How many different people have to approve.")
    four_eyes: bool = Field(False, description="Whoever asked may not approve.")
    editable: bool = Field(False, description="An approver may change the arguments.")
    expires: str = Field("never", pattern=EXPIRES, description="How long a gate stays open.")
    on_expiry: _Maybe[Literal["deny"]] = Field(
        None, description="What an expired gate comes to: silence never approves."
    )
    question: _Maybe[_Text] = Field(None, description="What an approver is asked: Rename $snapshot.name to $.name?")


class ManifestShape(Shape):
    """What each tool may do to the world, how it is undone, and who has to agree."""

    version: Annotated[Literal[1], BeforeValidator(_whole)] = Field(description="Version of this format.")
    servers: dict[Annotated[str, Field(pattern=SERVER)], ServerShape] = Field(
        {}, description="MCP servers by name. Their tools are named server.tool."
    )
    tools: list[RuleShape] = Field([], description="Rules. A tool that none matches is irreversible and gated.")

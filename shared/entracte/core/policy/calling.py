"""The calls that a rule makes beside the tool's own: reading what is changed, and taking a change back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from entracte.core.calls import Call, Record, ToolOutcome
from entracte.core.documents.action import Inverse, Reading
from entracte.core.payload import Payload
from entracte.core.policy.rule import CallRule, Rule, SnapshotRule
from entracte.errors import InvalidInput


def snapshot_call(rule: SnapshotRule, call: Call, arguments: Mapping[str, Any]) -> Call:
    """The call that reads the record which `call` changes.

    Raises:
        InvalidInput: The rule refers to an argument that is not there.
    """
    return replace(
        call,
        tool=rule.tool,
        arguments=rule.args.resolve({"$": dict(arguments)}),
        idempotency_key=f"{call.idempotency_key}.read",
        prepared=True,
    )


def record_from(rule: SnapshotRule, outcome: ToolOutcome) -> Record:
    """What a snapshot call's end says of the record."""
    if outcome.ending == "applied":
        return Record(present=True, value=outcome.raw)
    if outcome.ending == "failed" and not outcome.lost and says_absent(rule, outcome.error):
        return Record(present=False)
    return Record(error=outcome.error or "no answer")


def reading_of(record: Record) -> Reading:
    """A record as the action keeps it."""
    return Reading(present=record.present, value=Payload.of(record.value) if record.present else None)


def unresolvable_before(rule: Rule, arguments: Mapping[str, Any], snapshot: Reading | None) -> str:
    """Why the inverse could not be resolved, as far as that is known before the write; or an empty string."""
    if rule.inverse is None:
        return ""
    values = _roots(arguments, snapshot)
    for reference in rule.inverse.args.references:
        if reference.root == "$result":
            continue
        try:
            reference.resolve(values)
        except InvalidInput as error:
            return error.message
    return ""


def inverse_of(rule: Rule, arguments: Mapping[str, Any], snapshot: Reading | None, result: Any) -> Inverse | None:
    """The call that takes an applied action back; None when its class has none.

    Args:
        result: As the tool gave it, before any hook.
    """
    if rule.inverse is None:
        return None
    bare = Inverse(tool=rule.inverse.tool, absent_when=rule.inverse.absent_when)
    try:
        resolved = rule.inverse.args.resolve({**_roots(arguments, snapshot), "$result": result})
        return bare.evolve(arguments=Payload.of(resolved))
    except InvalidInput as error:
        return bare.evolve(unresolved=error.message)


def says_absent(call: CallRule | Inverse, error: str) -> bool:
    """Whether an error text, which the tool itself gave, says that the thing is not there. Case is ignored."""
    return bool(call.absent_when) and call.absent_when.casefold() in error.casefold()


def _roots(arguments: Mapping[str, Any], snapshot: Reading | None) -> dict[str, Any]:
    values: dict[str, Any] = {"$": dict(arguments)}
    if snapshot is not None and snapshot.value is not None:
        values["$snapshot"] = snapshot.value.value
    return values

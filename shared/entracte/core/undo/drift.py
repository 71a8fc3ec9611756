"""Whether a record is what it is thought to be, as far as an undo cares."""

from __future__ import annotations

from typing import Any

from entracte.core.calls import Record
from entracte.core.documents.action import Action, Reading
from entracte.core.payload import digest
from entracte.core.policy.rule import Rule


def same(reading: Reading, record: Record, action: Action, rule: Rule) -> bool:
    """Whether a record is as it was read, `ignore` left out; with `merge: fields`, in the changed fields only."""
    if reading.present != record.present:
        return False
    if not reading.present:
        return True
    assert reading.value is not None
    before, now = _without(reading.value.value, rule.ignore), _without(record.value, rule.ignore)
    if (fields := changed_fields(action, rule)) is not None and isinstance(before, dict) and isinstance(now, dict):
        before, now = ({name: value.get(name) for name in fields} for value in (before, now))
    return digest(before) == digest(now)


def changed_fields(action: Action, rule: Rule) -> frozenset[str] | None:
    """Fields that the call changed, under a rule that restores only these; None where all are restored."""
    if not rule.merge_fields or action.snapshot is None or action.after is None:
        return None
    if action.snapshot.value is None or action.after.value is None:
        return None
    before, after = action.snapshot.value.value, action.after.value.value
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    return frozenset(name for name in before if digest(before[name]) != digest(after.get(name)))


def is_put_back(action: Action, rule: Rule | None, read: Record | None) -> bool:
    """Whether reading back, after the inverse, shows the record as it was before the call; no when nothing was read."""
    if rule is None or action.snapshot is None or read is None or read.error:
        return False
    return same(action.snapshot, read, action, rule)


def can_be_read_back(action: Action, rule: Rule | None) -> bool:
    """Whether, after the inverse, there is something to read and something to compare it with."""
    return rule is not None and rule.snapshot is not None and action.snapshot is not None


def expected_after_undo(action: Action, rule: Rule, found: Record | None) -> Record:
    """The record as the action's inverse leaves it; the action has a snapshot.

    Args:
        found: As it was read before the inverse, if it was: under `merge: fields`, what others have changed stays.
    """
    assert action.snapshot is not None
    before = action.snapshot.value.value if action.snapshot.value is not None else None
    fields = changed_fields(action, rule)
    if fields is not None and found is not None and isinstance(found.value, dict) and isinstance(before, dict):
        return Record(present=True, value=found.value | {name: before[name] for name in fields})
    return Record(present=action.snapshot.present, value=before)


def _without(value: Any, ignored: tuple[str, ...]) -> Any:
    """The value without the fields of these paths. A path goes through lists: ``items.updated_at`` is every item's."""
    for path in ignored:
        value = _drop(value, path.removeprefix("$.").split("."))
    return value


def _drop(value: Any, names: list[str]) -> Any:
    name = names[0].removesuffix("[]")
    match value:
        case list():
            return [_drop(item, names) for item in value]
        case dict() if name in value and len(names) == 1:
            return {key: item for key, item in value.items() if key != name}
        case dict() if name in value:
            return {**value, name: _drop(value[name], names[1:])}
        case _:
            return value

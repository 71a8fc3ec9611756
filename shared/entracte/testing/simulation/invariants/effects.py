"""Rules 4 to 7, seen from what tools have really done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from entracte.core.addresses import entry_path, gate_path, step_actions
from entracte.core.documents.action import Action, ActionStatus
from entracte.core.documents.gate import Gate
from entracte.testing.simulation.effects import Effect
from entracte.testing.simulation.moment import Invariant, Moment

_ON_RECORD: frozenset[ActionStatus] = frozenset(
    {"started", "unknown", "applied", "reverting", "reverted", "unrecoverable"}
)
"""What an action may be after its call has acted."""


def _newest(moment: Moment) -> Effect | None:
    return moment.effects[-1] if moment.kind == "effect" else None


def _intent_first(moment: Moment) -> Iterator[str]:
    if (effect := _newest(moment)) is None:
        return
    action = moment.action(effect.action)
    if action is None:
        yield f"{effect.tool} acted for an action that is not there"
    elif effect.is_inverse:
        if action.reversal is None and action.status not in ("applied", "unrecoverable"):
            yield f"{effect.tool} took {action.id} back, which nobody had claimed ({action.status})"
    elif entry_path(action.run, f"{action.id}.{effect.attempt}.started") not in moment.documents:
        yield f"{effect.tool} acted for {action.id}, attempt {effect.attempt}, of which nothing was written down"


def _in_order(moment: Moment) -> Iterator[str]:
    """Changing calls of a step act in index order; those that wait, or have waited, for a person stand aside."""
    effect = _newest(moment)
    if effect is None or effect.is_inverse or (action := moment.action(effect.action)) is None or action.gates:
        return
    for id in step_actions(action.frame, action.step, action.calls)[: action.index]:
        earlier = moment.action(id)
        if earlier is None or earlier.kind == "agent" or earlier.effect == "readonly" or earlier.gates:
            continue
        if not earlier.is_ended:
            yield f"{effect.tool} acted for {action.id} while {earlier.id} was {earlier.status}"


def _at_most_once(moment: Moment) -> Iterator[str]:
    if (newest := _newest(moment)) is None or newest.honours_key:
        return
    same = [effect for effect in moment.effects if effect.key == newest.key]
    if len(same) > 1 and not moment.was_in_doubt(newest.action) and not _under_a_false_lease(same):
        yield f"{newest.tool} acted {len(same)} times with the key {newest.key}"


def _under_a_false_lease(same: Sequence[Effect]) -> bool:
    """Of an inverse: whose lease seemed to have ended although it was still called, by a clock that was minutes off.

    An undo goes on by what it reads, so that it needs nobody after a crash. A call of the run is in doubt instead.
    """
    return same[0].is_inverse and any(effect.skewed for effect in same)


def _recorded(moment: Moment) -> Iterator[str]:
    """Looked at when an action is written, and whenever a tool acts."""
    if moment.kind == "effect":
        looked_at = [action] if (action := moment.action(moment.effects[-1].action)) is not None else []
    else:
        looked_at = [action for _, action in moment.moves(Action)]
    for action in looked_at:
        if action.status in _ON_RECORD or moment.was_in_doubt(action.id):
            continue
        if any(effect.key == action.id and effect.sure for effect in moment.effects):
            yield f"{action.tool} has acted for {action.id}, which is {action.status}"


def _ends_recorded(moment: Moment) -> Iterator[str]:
    """Looked at when all is at rest. An inverse's end is the undo's to tell."""
    if moment.kind != "rest":
        return
    for end in moment.heard:
        action = moment.action(end.action)
        if action is None or end.ending == "unknown":
            continue
        late = entry_path(action.run, f"{action.id}.{end.attempt}.late")
        if end.attempt < action.attempt and late not in moment.documents:
            yield f"attempt {end.attempt} of {action.id} ended ({end.ending}), and the journal does not tell"
        elif end.attempt == action.attempt and action.status in ("started", "unknown"):
            yield f"{action.id} has ended ({end.ending}), and is {action.status}"


def _approved_arguments(moment: Moment) -> Iterator[str]:
    effect = _newest(moment)
    if effect is None or effect.is_inverse or (action := moment.action(effect.action)) is None or not action.gate:
        return
    gate = moment.documents.get(gate_path(action.gate))
    if not isinstance(gate, Gate):
        yield f"{effect.tool} acted for {action.id}, whose gate is not there"
    elif gate.z.kind != "in_doubt" and gate.status != "approved":
        yield f"{effect.tool} acted for {action.id}, whose gate is {gate.status}"
    elif effect.digest not in (shown := {gate.z.digest, *(vote.digest for vote in gate.votes if not vote.refused)}):
        yield f"{effect.tool} acted on {effect.digest[:15]}…, and people were shown {sorted(shown - {''})}"


INTENT_FIRST = Invariant(
    "intent before effect", "A change is written down, attempt by attempt, before its tool is called.", _intent_first
)
CHANGES_KEEP_THEIR_ORDER = Invariant(
    "changes keep their order", "Within a step, changing calls act in the order in which they were chosen.", _in_order
)
AT_MOST_ONCE = Invariant(
    "at most once",
    "An idempotency key acts at most once, unless its tool honours keys or a person was told that nobody knows; an "
    "inverse, unless the clock of its process was wrong by more than a lease.",
    _at_most_once,
)
EFFECTS_ARE_RECORDED = Invariant(
    "effects are recorded", "An action whose tool has acted never says that nothing happened.", _recorded
)
ENDS_ARE_RECORDED = Invariant(
    "ends are recorded",
    "How a call ended is on record once it has been heard, also that of an attempt which another has overtaken.",
    _ends_recorded,
)
APPROVED_ARGUMENTS_ARE_USED = Invariant(
    "approved arguments are used", "A gated call acts on exactly the arguments that were approved.", _approved_arguments
)

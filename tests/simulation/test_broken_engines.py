"""Each invariant catches an engine that is broken on purpose: a check that cannot fail is no check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from entracte.adapters.memory.store import MemoryStore
from entracte.agents import Budget
from entracte.core import transitions
from entracte.core.actions import clearing
from entracte.core.addresses import gate_path
from entracte.core.documents.action import ENDED, Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import CLOSED, Run
from entracte.core.effects import MakeCall, Surveyed
from entracte.core.entry import action_entry
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.phases import approve, execute
from entracte.core.phases.plan import end_frame
from entracte.core.state import Drawer, Item
from entracte.ports.store import Create, Update
from entracte.runtime.engine.commits import Commits
from entracte.runtime.engine.surveying import survey
from entracte.runtime.upkeep.sweep import Sweep
from entracte.testing.simulation.desk import run_scenario, scenario, small_scenario, unanswered_scenario, undo_scenario
from entracte.testing.simulation.faults import Fault
from entracte.testing.simulation.invariants import INVARIANTS
from entracte.testing.simulation.playing import Playing
from entracte.testing.simulation.report import SimulationFailed
from entracte.testing.simulation.scenario import Scenario

Break = Callable[[pytest.MonkeyPatch], None]


def _with_action(outcome: Any, **changes: Any) -> Any:
    """The outcome with its action changed."""
    puts = tuple(
        Put(put.path, put.document.evolve(**changes)) if isinstance(put.document, Action) else put
        for put in outcome.puts
    )
    return replace(outcome, puts=puts)


def publishes_first(patch: pytest.MonkeyPatch) -> None:
    """Messages are out before the commit that makes them true."""
    commit = Commits.commit

    def broken(self: Any, loaded: Any, outcome: Any, *, began: Any) -> bool:
        self._bus.publish(outcome.messages)
        return commit(self, loaded, replace(outcome, messages=()), began=began)

    patch.setattr(Commits, "commit", broken)


def checks_no_version(patch: pytest.MonkeyPatch) -> None:
    """A store that writes whatever it is given."""
    after = MemoryStore._after

    def broken(self: Any, write: Any, size: int, version: int) -> Any:
        before = self._documents.get(write.path)
        match write:
            case Create(path, fields) if before is not None:
                write = Update(path, fields, before.version)
            case Update(path, fields, _) if before is not None:
                write = Update(path, fields, before.version)
            case _:
                return after(self, write, size, version) if isinstance(write, (Create, Update)) else before
        return after(self, write, size, version)

    patch.setattr(MemoryStore, "_after", broken)


def ends_as_undone(patch: pytest.MonkeyPatch) -> None:
    """A run that has ended well is said to have been undone."""
    patch.setattr(transitions, "check", lambda before, after: None)
    patch.setattr("entracte.core.frames.ending._status", lambda root: "undone")


def writes_nothing_down(patch: pytest.MonkeyPatch) -> None:
    """Every call is made as if it only read."""
    proposed = execute._proposed

    def broken(s: Any, run: Any, action: Any) -> Any:
        return MakeCall(proposed(s, run, action).call)

    patch.setattr(execute, "_proposed", broken)


def starts_all_at_once(patch: pytest.MonkeyPatch) -> None:
    """Changing calls of a step side by side."""
    patch.setattr("entracte.core.frames.calling.startable", lambda actions: tuple(actions))


def calls_again(patch: pytest.MonkeyPatch) -> None:
    """A call whose end was not recorded is made again, whatever its tool says of keys."""
    started = execute._started

    def broken(s: Any, run: Any, action: Any) -> Any:
        if action.lease.expires <= s.now:
            return clearing.write_intent(s, action)
        return started(s, run, action)

    patch.setattr(execute, "_started", broken)


def believes_timeouts(patch: pytest.MonkeyPatch) -> None:
    """What did not end in time is taken not to have happened."""
    recorded = execute.recorded

    def broken(s: Any, action: Any, call: Any, outcome: Any) -> Any:
        return recorded(s, action, call, replace(outcome, ending="failed") if outcome.ending == "unknown" else outcome)

    patch.setattr(execute, "recorded", broken)


def forgets_older_attempts(patch: pytest.MonkeyPatch) -> None:
    """What an older attempt comes to after the newer one is dropped."""
    recorded = execute.recorded

    def broken(s: Any, action: Any, call: Any, outcome: Any) -> Any:
        return nothing("too late") if action.status in ENDED else recorded(s, action, call, outcome)

    patch.setattr(execute, "recorded", broken)


def changes_arguments(patch: pytest.MonkeyPatch) -> None:
    """The mail goes to somebody else than people saw."""
    call_of = execute.call_of

    def broken(*args: Any, **kwargs: Any) -> Any:
        call = call_of(*args, **kwargs)
        return replace(call, arguments={"to": "eve"}) if call.tool == "send" and call.prepared else call

    patch.setattr(execute, "call_of", broken)


def asks_again(patch: pytest.MonkeyPatch) -> None:
    """An answer that comes twice opens its gate again."""

    def broken(s: Any, run: Any, action: Any) -> Any:
        gate = s.docs.gate(action.gate)
        again = Put(gate_path(gate.id), gate.evolve(status="waiting"))
        return Outcome(puts=(again,), entry=action_entry(s, action, f"again.{s.delivery}", phase="approve"))

    patch.setattr(approve, "_go_on", broken)


def silence_approves(patch: pytest.MonkeyPatch) -> None:
    """To announce a gate is to approve it."""
    conclude = approve.conclude

    def broken(s: Any, message: Any, effect: Any, result: Any) -> Any:
        outcome = conclude(s, message, effect, result)
        puts = tuple(Put(put.path, put.document.evolve(status="approved")) for put in outcome.puts)
        return replace(outcome, puts=puts)

    patch.setattr(approve, "conclude", broken)


def leaves_gates_alone(patch: pytest.MonkeyPatch) -> None:
    """Only whoever cancels tells the gates."""
    patch.setattr(Sweep, "_left_of", lambda self, run: ())


def undoes_oldest_first(patch: pytest.MonkeyPatch) -> None:
    """The order of effects is turned around."""

    def broken(repository: Any, run: str) -> Surveyed:
        return Surveyed(tuple(reversed(survey(repository, run).actions)))

    patch.setattr("entracte.runtime.compose.survey", broken)


def counts_items(patch: pytest.MonkeyPatch) -> None:
    """Ids are given by how many items there are, not by how many there ever were."""

    def broken(self: Drawer, prefix: str, text: str) -> tuple[Drawer, Item]:
        item = Item(f"{prefix}_{len(self.items) + 1:03d}", text)
        return replace(self, items=(*self.items, item)), item

    patch.setattr(Drawer, "add", broken)


def leaves_calls_alone(patch: pytest.MonkeyPatch) -> None:
    """Nobody looks whether a started call has ended."""
    write_intent = clearing.write_intent
    patch.setattr(clearing, "write_intent", lambda s, action: _with_action(write_intent(s, action), due=None))


def forgets_parents(patch: pytest.MonkeyPatch) -> None:
    """A child's end leaves nothing due."""

    def broken(*args: Any, **kwargs: Any) -> Any:
        outcome = end_frame(*args, **kwargs)
        puts = tuple(
            Put(put.path, put.document.evolve(due=None)) if isinstance(put.document, Frame) else put
            for put in outcome.puts
        )
        return replace(outcome, puts=puts)

    patch.setattr("entracte.core.phases.plan.end_frame", broken)


def ignores_cancel(patch: pytest.MonkeyPatch) -> None:
    """A cancelled run goes on."""
    patch.setattr(transitions, "check", lambda before, after: None)
    patch.setattr(Run, "closed", property(lambda run: run.status in CLOSED - {"cancelled"}))


def starts_after_cancel(patch: pytest.MonkeyPatch) -> None:
    """The intent does not verify the run."""
    write_intent = clearing.write_intent
    patch.setattr(clearing, "write_intent", lambda s, action: replace(write_intent(s, action), verifies=()))


def spends_freely(patch: pytest.MonkeyPatch) -> None:
    """Nobody looks at what is left."""
    patch.setattr("entracte.core.frames.proposing.shortage", lambda left, cost, limits: "")


def never_sweeps(patch: pytest.MonkeyPatch) -> None:
    """A lost message stays lost."""
    patch.setattr(Sweep, "run", lambda self: 0)


def answers_otherwise(patch: pytest.MonkeyPatch) -> None:
    """A second attempt comes to something else than the first would have."""
    recorded = execute.recorded

    def broken(s: Any, action: Any, call: Any, outcome: Any) -> Any:
        return recorded(s, action, call, replace(outcome, result=call.attempt) if call.attempt > 1 else outcome)

    patch.setattr(execute, "recorded", broken)


@dataclass(frozen=True)
class Variant:
    """A broken engine and what catches it.

    Attributes:
        caught_by: Name of an invariant, or of what is compared in the end.
        kinds: Single faults that are tried; none for the run without faults.
        seeds: Simulations of chance that are tried.
    """

    breaks: Break
    caught_by: str
    scenario: Callable[[], Scenario] = run_scenario
    kinds: tuple[Fault, ...] = ()
    seeds: Iterable[int] = field(default=())


def _cancelled() -> Scenario:
    return run_scenario(acts=("cancel",))


def _changes_only() -> Scenario:
    return undo_scenario(acts=(), faults_from="")


def _poor() -> Scenario:
    calls = [("add", {"id": 3}), ("add", {"id": 4})]
    return scenario({"desk": [calls]}, light=True, budget=Budget(writes=1, wall_s=10**9))


def _with_keys() -> Scenario:
    return run_scenario(honours_keys=True)


def _small_with_keys() -> Scenario:
    return small_scenario(honours_keys=True)


VARIANTS = (
    Variant(publishes_first, "commit first"),
    Variant(checks_no_version, "commits are versioned", kinds=(Fault.PAUSED,)),
    Variant(checks_no_version, "journal only grows", kinds=(Fault.PAUSED,)),
    Variant(ends_as_undone, "moves are in the tables"),
    Variant(writes_nothing_down, "intent before effect"),
    Variant(starts_all_at_once, "changes keep their order", _changes_only, (Fault.CRASH_BEFORE,)),
    Variant(calls_again, "at most once", kinds=(Fault.CRASH_AFTER,)),
    Variant(believes_timeouts, "effects are recorded", kinds=(Fault.ACTED_UNHEARD,)),
    Variant(forgets_older_attempts, "ends are recorded", _small_with_keys, (Fault.PAUSED,)),
    Variant(changes_arguments, "approved arguments are used"),
    Variant(asks_again, "gates are decided once", kinds=(Fault.CRASH_AFTER,)),
    Variant(silence_approves, "answers are people's"),
    Variant(leaves_gates_alone, "gates close with their run", unanswered_scenario, (Fault.LOST,)),
    Variant(undoes_oldest_first, "undo is newest first", undo_scenario),
    Variant(counts_items, "ids are given once"),
    Variant(leaves_calls_alone, "nothing is lost"),
    Variant(forgets_parents, "children are taken"),
    Variant(ignores_cancel, "closed runs stay closed", _cancelled),
    Variant(starts_after_cancel, "cancel is honoured", _cancelled, seeds=range(300, 420)),
    Variant(spends_freely, "budgets hold", _poor),
    Variant(never_sweeps, "everything comes to rest", kinds=(Fault.LOST,)),
    Variant(calls_again, "the effects are the same", kinds=(Fault.CRASH_AFTER,)),
    Variant(answers_otherwise, "the documents are the same", _with_keys, (Fault.CRASH_AFTER,)),
)


def play_until_caught(variant: Variant) -> None:
    """Play with the one invariant that should catch it, or with none if what is compared in the end should."""
    only = [invariant for invariant in INVARIANTS if invariant.name == variant.caught_by]
    playing = Playing(variant.scenario(), only)
    for faults in playing.singles():
        if set(faults.values()) & set(variant.kinds):
            playing.with_faults(faults)
    for seed in variant.seeds:
        playing.with_seed(seed)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v.breaks.__name__}-{v.caught_by}")
def test_a_broken_engine_is_caught(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the invariant that says so."""
    variant.breaks(monkeypatch)
    with pytest.raises(SimulationFailed) as caught:
        play_until_caught(variant)
    assert variant.caught_by in {violation.invariant for violation in caught.value.violations}


def test_every_invariant_has_a_broken_engine() -> None:
    """None is added without one."""
    assert {invariant.name for invariant in INVARIANTS} <= {variant.caught_by for variant in VARIANTS}

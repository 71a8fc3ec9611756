"""What always holds, as far as documents and effects can show it: one small function each.

Each has an engine that breaks it on purpose, in `tests/simulation/test_broken_engines.py`.
"""

from __future__ import annotations

from entracte.testing.simulation.invariants.budgets import BUDGETS_HOLD
from entracte.testing.simulation.invariants.commits import (
    COMMITS_ARE_VERSIONED,
    JOURNAL_ONLY_GROWS,
    MOVES_ARE_IN_TABLES,
)
from entracte.testing.simulation.invariants.effects import (
    APPROVED_ARGUMENTS_ARE_USED,
    AT_MOST_ONCE,
    CHANGES_KEEP_THEIR_ORDER,
    EFFECTS_ARE_RECORDED,
    ENDS_ARE_RECORDED,
    INTENT_FIRST,
)
from entracte.testing.simulation.invariants.gates import (
    ANSWERS_ARE_PEOPLES,
    GATES_ARE_DECIDED_ONCE,
    GATES_CLOSE_WITH_THEIR_RUN,
)
from entracte.testing.simulation.invariants.messages import COMMIT_FIRST
from entracte.testing.simulation.invariants.progress import CHILDREN_ARE_TAKEN, NOTHING_IS_LOST
from entracte.testing.simulation.invariants.runs import CANCEL_IS_HONOURED, CLOSED_RUNS_STAY_CLOSED
from entracte.testing.simulation.invariants.state import IDS_ARE_GIVEN_ONCE
from entracte.testing.simulation.invariants.undo import UNDO_IS_NEWEST_FIRST
from entracte.testing.simulation.moment import Invariant

INVARIANTS: tuple[Invariant, ...] = (
    COMMIT_FIRST,
    COMMITS_ARE_VERSIONED,
    JOURNAL_ONLY_GROWS,
    MOVES_ARE_IN_TABLES,
    INTENT_FIRST,
    CHANGES_KEEP_THEIR_ORDER,
    AT_MOST_ONCE,
    EFFECTS_ARE_RECORDED,
    ENDS_ARE_RECORDED,
    APPROVED_ARGUMENTS_ARE_USED,
    GATES_ARE_DECIDED_ONCE,
    ANSWERS_ARE_PEOPLES,
    GATES_CLOSE_WITH_THEIR_RUN,
    UNDO_IS_NEWEST_FIRST,
    IDS_ARE_GIVEN_ONCE,
    NOTHING_IS_LOST,
    CHILDREN_ARE_TAKEN,
    CANCEL_IS_HONOURED,
    CLOSED_RUNS_STAY_CLOSED,
    BUDGETS_HOLD,
)
"""All of them, in the order of the rules in architecture.md."""

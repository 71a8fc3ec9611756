"""Opening runs within what their owner may spend. Every way to open a run goes through here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from entracte.core.addresses import run_path, spending_path
from entracte.core.documents.run import Run
from entracte.core.documents.spending import Spending
from entracte.core.outcome import Outcome, Put
from entracte.core.runs.spending import charged
from entracte.core.situation import Situation
from entracte.runtime.engine.engine import Engine


def open_run(engine: Engine, owner: str, paths: Iterable[str], decide: Callable[[Situation], Outcome]) -> Outcome:
    """Apply a decision that opens a run of this owner, unless it could cost more than they may spend today.

    The run and the owner's spending are written in one commit: runs opened at once do not each see the same rest.

    Raises:
        RateLimited: It could.
        Whatever `decide` raises.
    """
    cap = engine.process.daily_cost_micro_usd
    if not cap:
        return engine.apply(paths, decide)
    account = spending_path(owner)
    known = engine.repository.load((account,)).documents.get(account)
    others = [run_path(entry.run) for entry in known.open] if isinstance(known, Spending) else []

    def within(s: Situation) -> Outcome:
        outcome = decide(s)
        opened = next((put.document for put in outcome.puts if isinstance(put.document, Run)), None)
        if opened is None or opened.closed:
            return outcome
        before = s.docs.find(account, Spending) or Spending(owner=owner, day="")
        after = charged(before, opened, docs=s.docs, cap_micro_usd=cap, now=s.now)
        return replace(outcome, puts=(*outcome.puts, Put(account, after)))

    return engine.apply((*paths, account, *others), within)

"""``entracte approve``: let a call be made that waits for a person."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.commands.parameters import BaseUrl, Model
from entracte.cli.invocation import Invocation, invocation
from entracte.cli.runners.gate_decision import Decision, read_arguments
from entracte.cli.runners.model_choice import ModelChoice
from entracte.errors import InvalidInput

Gate = Annotated[
    str,
    typer.Argument(metavar="GATE", help="Id of a gate or run, or how it begins; the only waiting one by default."),
]
All = Annotated[bool, typer.Option("--all", help="All that wait, each by itself.")]
OfRun = Annotated[str, typer.Option("--run", metavar="RUN", help="With --all: only those of this run.")]
By = Annotated[str, typer.Option(metavar="NAME", help="Who says so; not with --url, where the token says it.")]
Reason = Annotated[
    str, typer.Option(metavar="TEXT", help="Why; kept with the decision, and told to an agent that is refused.")
]


def approve(
    context: typer.Context,
    gate: Gate = "",
    all_: All = False,
    run: OfRun = "",
    by: By = "",
    reason: Reason = "",
    args: Annotated[str, typer.Option(metavar="JSON", help="Arguments in place of those that are shown.")] = "",
    model: Model = "",
    base_url: BaseUrl = "",
) -> None:
    """Approve a call, and watch its run go on. It stays until the run ends or waits again.

    Exit codes are those of entracte run. A refused decision is exit code 1, and says who decided what.
    """
    called = invocation(context)
    if args:
        read_arguments(args)
    if args and all_:
        raise InvalidInput("--args changes one call.", remedy="Name its gate in place of --all.")
    decision = Decision(word="approve", by=by, reason=reason, arguments=args)
    raise typer.Exit(decide(called, gate, decision, ModelChoice(model, base_url), all_=all_, of_run=run))


def decide(
    called: Invocation, gate: str, decision: Decision, choice: ModelChoice, *, all_: bool = False, of_run: str = ""
) -> int:
    """Check what was given, and decide; the exit code."""
    from entracte.cli.gates.decide_gates import decide_all, decide_one

    if all_ and gate:
        raise InvalidInput("Both a gate and --all are given.", remedy="Give one of them.")
    if of_run and not all_:
        raise InvalidInput("--run goes with --all.", remedy="A run's only gate is named by the run's id alone.")
    decision = checked(called, decision)
    return decide_all(called, of_run, decision, choice) if all_ else decide_one(called, gate, decision, choice)


def checked(called: Invocation, decision: Decision) -> Decision:
    """The decision, unless it names somebody where the token does."""
    if decision.by and called.options.url:
        raise InvalidInput("--by is for stores on this machine.", remedy="With --url, the token says who you are.")
    return decision

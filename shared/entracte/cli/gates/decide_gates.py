"""Deciding gates, and staying with their runs until they end or wait again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from rich.text import Text

from entracte.cli.failures import FAILED, INTERRUPTED, USAGE, WAITING, failure_of
from entracte.cli.invocation import Invocation
from entracte.cli.records.finding import find_run
from entracte.cli.records.records import Json
from entracte.cli.runners.gate_decision import Decision
from entracte.cli.runners.model_choice import ModelChoice
from entracte.cli.runners.opening import open_records, settings_of
from entracte.cli.runs.command_runner import runner_open, say_interrupted
from entracte.cli.runs.progress import progress_of
from entracte.cli.views.gate_names import check_word, commands_for, find_gate, short_name
from entracte.cli.views.run_end import exit_code_of, say_end
from entracte.core.client_calls.client import CLIENT
from entracte.errors import NotFound, TerminalError


def decide_one(called: Invocation, reference: str, decision: Decision, choice: ModelChoice) -> int:
    """Decide the gate that is meant; the exit code, as of `entracte run`."""
    with open_records(called.options) as records:
        gate = find_gate(records.gates(), reference)
    check_word(gate, decision.word, called)
    return decide(called, [gate], decision, choice)


def decide_all(called: Invocation, of_run: str, decision: Decision, choice: ModelChoice) -> int:
    """Decide every gate that waits for such a decision, each by itself; the worst of the exit codes.

    Args:
        of_run: Id of a run, or how it begins; empty for all runs.
    """
    with open_records(called.options) as records:
        run = find_run(called, records, of_run)["id"] if of_run else ""
        gates = records.gates(run=run, status="waiting")
    wanted: dict[str, list[Json]] = {}
    codes: list[int] = []
    for gate in gates:
        if decision.word in gate["decisions"]:
            wanted.setdefault(gate["run"], []).append(gate)
        else:
            ways = " or ".join(commands_for(gate, called, choice))
            called.screen.note(Text(f"{short_name(gate['id'])} is left: {ways}", "yellow"))
            codes.append(WAITING)
    if not wanted:
        raise NotFound(f"Nothing waits that could be decided with {decision.word}.", code="gate_not_found")
    for of_one in wanted.values():
        codes.append(decide(called, of_one, decision, choice))
        if codes[-1] == INTERRUPTED:
            return INTERRUPTED
    return FAILED if {FAILED, USAGE} & set(codes) else max(codes)


def decide(called: Invocation, gates: Sequence[Json], decision: Decision, choice: ModelChoice) -> int:
    """Decide gates of one run, and stay with the run; the exit code."""
    id = gates[0]["run"]
    if not called.options.url:
        # The run goes on as its owner's, whoever decides.
        decision = replace(decision, by=decision.by or settings_of(called.options).user)
        called = replace(called, options=replace(called.options, user=gates[0]["owner"]))
    with open_records(called.options) as records:
        run = records.find(id)
    is_clients = run["agent"] == CLIENT
    if is_clients and not called.options.url and all(gate["kind"] != "in_doubt" for gate in gates):
        return decide_for_client(called, gates, decision)
    progress = progress_of(called)
    with runner_open(called, progress, choice=choice, run=run) as runner:
        try:
            with progress.following(id):
                refusals = [refusal(called, runner.decide, gate, decision) for gate in gates]
                if not all(refusals) and not is_clients:
                    run = runner.wait(id)
                    progress.catch_up(run)
        except KeyboardInterrupt:
            return say_interrupted(called, id)
        if all(refusals):
            return max(refusals)
        if is_clients:
            return max(refusals) or say_client_goes_on(called, decision)
        say_end(called, runner, run, choice)
        return max(refusals) or exit_code_of(run)


def decide_for_client(called: Invocation, gates: Sequence[Json], decision: Decision) -> int:
    """Decide gates of an MCP client's run on this machine, without its servers: nothing is called now."""
    from entracte.cli.records.local_records import LocalRecords

    with open_records(called.options) as records:
        assert isinstance(records, LocalRecords)
        codes = [refusal(called, records.decide, gate, decision) for gate in gates]
    return max(codes) or say_client_goes_on(called, decision)


def say_client_goes_on(called: Invocation, decision: Decision) -> int:
    """Say what the client has to do; the exit code."""
    match decision.word:
        case "approve" | "retry":
            said = "The call is made when the client asks for it again, within an hour."
        case _:
            said = "The client is told when it asks again."
    called.screen.note(said, style="")
    return 0


def refusal(called: Invocation, decide_it: Callable[[Json, Decision], Json], gate: Json, decision: Decision) -> int:
    """Decide a gate, and say what came of it: the exit code of a refusal, 0 for none."""
    try:
        after = decide_it(gate, decision)
    except TerminalError as error:
        failure = failure_of(error)
        said = called.command(f"gates --status all --run {gate['run'][:8]}")
        called.screen.fail(failure.message, failure.remedy or f"All that was said to it: {said}")
        return failure.exit_code
    if after["status"] == "waiting":
        so_far = len({vote["by"] for vote in after["votes"] if vote["decision"] == "approve" and not vote["refused"]})
        called.screen.note(f"{so_far} of {after['quorum']} people have approved; it still waits.", style="yellow")
    return 0

"""``python -m crm.trial --model openai/NAME --base-url URL``: how well a model does with the sample's tools.

Ten questions for each of three jobs (small.py): look something up, change a record behind a gate, pass a question on to
another agent. Each gets new records, and every change is agreed to: nobody saves the model from itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from crm.asking import Trial, ask
from crm.questions import QUESTIONS
from crm.small import Job, networks
from crm.workplace import use, with_model
from entracte.agents import Network

ALL: tuple[Job, ...] = ("lookups", "updates", "two_agents")


def trials(network: Network, job: Job, folder: Path, questions: Sequence[int] = ()) -> list[Trial]:
    """Ask the job's questions, or those of these numbers from 1, one after the other."""
    done = []
    for number, question in enumerate(QUESTIONS[job], 1):
        if questions and number not in questions:
            continue
        use(folder / f"{job}-{number}")
        try:
            done.append(ask(network, question))
        finally:
            network.close()  # the next question gets records of its own
    return done


def counts(done: Sequence[Trial]) -> dict[str, Any]:
    """Figures of a job."""
    return {
        "questions": len(done),
        "right": sum(t.right for t in done),
        "right_calls": sum(t.called for t in done),
        "damaging": sum(bool(t.damaged) for t in done),
        "replies": sum(t.replies for t in done),
        "usable_replies": sum(t.replies - t.unusable for t in done),
        "tokens": sum(t.tokens for t in done),
        "seconds": round(sum(t.seconds for t in done), 1),
    }


def table(job: Job, done: Sequence[Trial]) -> Table:
    """The trials of a job, one a line, their figures on top."""
    figures = counts(done)
    title = (
        f"{job}: {figures['right']} of {figures['questions']} right, {figures['right_calls']} with the right calls, "
        f"{figures['damaging']} did damage; {figures['usable_replies']} of {figures['replies']} replies usable"
    )
    made = Table("", "question", "calls", "answer", "why wrong", "tokens", "s", title=title)
    for trial in done:
        made.add_row(
            "right" if trial.right else "wrong",
            trial.question.ask,
            "\n".join(trial.calls),
            trial.answer,
            trial.reason,
            str(trial.tokens),
            f"{trial.seconds:.1f}",
        )
    return made


def main(
    model: Annotated[str, typer.Option(help="provider/name of the model, such as openai/qwen3.")],
    base_url: Annotated[str, typer.Option(help="Where the model is served.")] = "",
    key: Annotated[str, typer.Option(help="Secret (here: environment variable) that holds the model's key.")] = "",
    only: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(ALL)}; may be repeated.")] = None,
    question: Annotated[list[int] | None, typer.Option(help="Number of a question, from 1; may be repeated.")] = None,
    full: Annotated[bool, typer.Option(help="With state and evaluation, which small models are not up to.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Ask a model about the sample's customers, and print what it called and answered, and what was right."""
    if unknown := set(only or ()) - set(ALL):
        raise typer.BadParameter(f"There is no job {', '.join(sorted(unknown))}; there are {', '.join(ALL)}.")
    found: dict[str, Any] = {}
    with TemporaryDirectory(prefix="crm-trial-") as folder:
        for job, network in networks(light=not full).items():
            if only and job not in only:
                continue
            done = trials(with_model(network, model, base_url, key), job, Path(folder), question or ())
            found[job] = counts(done) | {"trials": [t.as_json() for t in done]}
            if not as_json:
                Console(markup=False).print(table(job, done))
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    typer.run(main)

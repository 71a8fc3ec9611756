"""``python -m crm.trial --model openai/NAME --base-url URL``: how many of ten look-ups a model gets right."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from crm.lookup import light, network
from crm.questions import QUESTIONS, Question, missing
from crm.workplace import use, with_model
from entracte.agents import Network
from entracte.errors import EntracteError


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One question put to the model.

    Attributes:
        answer: What it answered, or an empty string.
        reason: Why the answer is wrong, or an empty string.
        tokens: What it took.
    """

    question: Question
    answer: str
    reason: str
    tokens: int
    seconds: float

    @property
    def right(self) -> bool:
        return not self.reason


def ask(lookup: Network, question: Question) -> Trial:
    """Ask in a session of its own, and judge the answer."""
    began = time.monotonic()
    answer, tokens = "", 0
    try:
        run = lookup.run(question.ask)
        tokens = run.usage["tokens"]
        answer = run.raise_for_status().text
        reason = "; ".join(f"says nothing like {pattern}" for pattern in missing(question, answer))
    except EntracteError as error:
        reason = str(error)
    return Trial(question=question, answer=answer, reason=reason, tokens=tokens, seconds=time.monotonic() - began)


def table(trials: list[Trial]) -> Table:
    """The trials, one a line."""
    made = Table(
        "",
        "question",
        "answer",
        "why wrong",
        "tokens",
        "s",
        title=f"{sum(t.right for t in trials)} of {len(trials)} right",
    )
    for trial in trials:
        made.add_row(
            "right" if trial.right else "wrong",
            trial.question.ask,
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
    full: Annotated[bool, typer.Option(help="With state and evaluation, which small models are not up to.")] = False,
) -> None:
    """Ask a model ten questions about the sample's customers, and print which answers are right."""
    with TemporaryDirectory(prefix="crm-trial-") as folder:
        use(Path(folder))
        lookup = with_model(network if full else light, model, base_url, key)
        try:
            trials = [ask(lookup, question) for question in QUESTIONS]
        finally:
            lookup.close()
    Console(markup=False).print(table(trials))


if __name__ == "__main__":
    typer.run(main)

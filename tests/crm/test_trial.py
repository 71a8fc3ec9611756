"""The trial of a model (trial.py, asking.py), with scripts in the model's place."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from ruamel.yaml import YAML
from typer.testing import CliRunner

from crm.asking import ask
from crm.questions import QUESTIONS
from crm.small import Job, networks
from crm.trial import counts, main, table, trials
from crm.workplace import with_model
from entracte.agents import Network

SEARCH = {"calls": [{"tool": "search_customers", "args": {"query": "Lovelace"}}]}


def change(who: int | str, field: str, value: str) -> dict[str, Any]:
    """A reply that changes a record."""
    return {"calls": [{"tool": "change_customer", "args": {"who": who, "field": field, "value": value}}]}


@pytest.fixture
def said(settings: None, tmp_path: Path):
    """Makes a job's network whose agent replies this at each step."""
    opened: list[Network] = []

    def make(job: Job, *replies: dict[str, Any]) -> Network:
        script = tmp_path / "script.yaml"
        rules = [{"when": {"purpose": "plan", "step": n}, "reply": reply} for n, reply in enumerate(replies, 1)]
        YAML().dump({"version": 1, "replies": rules}, script)
        opened.append(with_model(networks(light=True)[job], f"scripted/{script}", base_url="", key=""))
        return opened[-1]

    yield make
    for network in opened:
        network.close()


def test_a_right_answer_is_counted_as_right(lookup: Network):
    """With what it took."""
    trial = ask(lookup, QUESTIONS["lookups"][0])
    assert (trial.right, trial.answer) == (True, "Ada Lovelace is on the Free plan, and a customer since 2019-12-10.")
    assert (trial.calls, trial.called) == (('search_customers {"query": "Ada Lovelace"}',), True)
    assert (trial.damaged, trial.replies, trial.unusable) == ((), 4, 0)
    assert trial.tokens > 0


def test_a_wrong_answer_is_counted_as_wrong_with_the_reason(lookup: Network):
    """The script knows none of the other questions, and none of its excuses passes for an answer."""
    done = [ask(lookup, question) for question in QUESTIONS["lookups"][1:]]
    assert [trial.question.ask for trial in done if trial.right] == []
    assert {trial.reason.partition(" like ")[0] for trial in done} == {"says nothing"}


def test_a_run_that_fails_is_a_wrong_answer_with_its_error(lookup: Network):
    """A fault of the model does not end the trial."""
    broken = with_model(lookup, "nobody/none", base_url="", key="")
    trial = ask(broken, QUESTIONS["lookups"][0])
    broken.close()
    assert (trial.right, trial.called, trial.answer) == (False, False, "")
    assert "'nobody/none' is no model" in trial.reason


def test_the_question_said_back_is_no_answer(said):
    """Though it holds every word that a right one does."""
    question = QUESTIONS["updates"][0]
    trial = ask(said("updates", change("Ada Lovelace", "plan", "Pro"), {"answer": question.ask}), question)
    assert (trial.reason, trial.damaged) == ("says the question back", ())


def test_results_that_the_model_made_no_answer_of_are_none(said):
    """They may well hold what was asked for."""
    trial = ask(said("lookups", *[SEARCH] * 5), QUESTIONS["lookups"][0])
    assert "2019-12-10" in trial.answer
    assert trial.reason.startswith("did not come to an end: search_customers was called again and again")


def test_replies_that_cannot_be_used_are_counted(said):
    """An answer before the first call is one of them."""
    trial = ask(said("lookups", {"answer": "Ada is on Free since 2019-12-10."}), QUESTIONS["lookups"][0])
    assert (trial.right, trial.replies, trial.unusable) == (False, 3, 3)


def test_a_change_is_made_once_it_has_been_agreed_to(said):
    """And is all that changes."""
    trial = ask(
        said("updates", change("Ada Lovelace", "plan", "Pro"), {"answer": "She is on Pro."}), QUESTIONS["updates"][0]
    )
    assert (trial.right, trial.called, trial.damaged) == (True, True, ())


@pytest.mark.parametrize(
    ("changes", "damaged", "reason"),
    [
        ([change(42, "plan", "Pro")], ["plan of customers 42 to 'Pro'"], "leaves plan of 17 as it was; "),
        (
            [change("lovelace", "plan", "Pro"), change("lovelace", "notes", "Paid.")],
            ["notes of customers 17 to 'Paid.'"],
            "",
        ),
        ([change("lovelace", "plan", "Team")], ["plan of customers 17 to 'Team'"], ""),
        (
            [change("lovelace", "plan", "Pro"), change(42, "plan", "Pro")],
            ["plan of customers 42 to 'Pro'"],
            "",
        ),
    ],
)
def test_any_other_change_is_damage(said, changes: list[dict[str, Any]], damaged: Sequence[str], reason: str):
    """Whatever the answer says."""
    trial = ask(said("updates", *changes, {"answer": "She is on Pro."}), QUESTIONS["updates"][0])
    assert list(trial.damaged) == damaged
    assert trial.reason == reason + "; ".join(f"changes {record}" for record in damaged)


def test_a_change_that_is_only_said_is_none(said):
    """The records decide, not the words."""
    trial = ask(
        said("updates", change("Lovelace Pro", "plan", "Pro"), {"answer": "She is on Pro now."}),
        QUESTIONS["updates"][0],
    )
    assert (trial.reason, trial.damaged) == ("leaves plan of 17 as it was", ())


def test_the_calls_of_both_agents_are_counted(said):
    """The one in front has no tools."""
    network = said("two_agents", {"calls": [{"tool": "lookup", "args": {"message": "Hopper's plan?"}}]})
    trial = ask(network, QUESTIONS["two_agents"][0])
    assert trial.lacking == QUESTIONS["two_agents"][0].calls[1:]


def test_each_question_gets_records_of_its_own(said, tmp_path: Path):
    """The second one is not answered by what the first one did."""
    network = said("updates", change("Ada Lovelace", "plan", "Pro"), {"answer": "She is on Pro."})
    done = trials(network, "updates", tmp_path / "trial", [1, 3])
    assert [(trial.question, trial.right) for trial in done] == [
        (QUESTIONS["updates"][0], True),
        (QUESTIONS["updates"][2], True),
    ]
    figures = counts(done)
    assert (figures["questions"], figures["right"], figures["damaging"], figures["usable_replies"]) == (2, 2, 0, 4)
    assert table("updates", done).title == (
        "updates: 2 of 2 right, 2 with the right calls, 0 did damage; 4 of 4 replies usable"
    )


def test_the_command_prints_a_table_or_json(said, tmp_path: Path):
    """Of the jobs and questions that were named."""
    said("lookups", SEARCH, {"answer": "Free, since 2019-12-10."})
    app = typer.Typer()
    app.command()(main)
    named = ["--model", f"scripted/{tmp_path / 'script.yaml'}", "--only", "lookups", "--question", "1"]
    shown = CliRunner().invoke(app, named)
    assert "lookups: 1 of 1 right" in " ".join(shown.output.split())
    found = json.loads(CliRunner().invoke(app, [*named, "--json"]).output)
    assert {job: (each["right"], each["trials"][0]["answer"]) for job, each in found.items()} == {
        "lookups": (1, "Free, since 2019-12-10.")
    }
    assert CliRunner().invoke(app, ["--model", "x/y", "--only", "riddles"]).exit_code == 2

"""The trial of a model (trial.py), with the script in the model's place."""

from crm.questions import QUESTIONS
from crm.trial import ask
from crm.workplace import with_model
from entracte.agents import Network


def test_a_right_answer_is_counted_as_right(lookup: Network):
    """With what it took."""
    trial = ask(lookup, QUESTIONS[0])
    assert (trial.right, trial.answer) == (True, "Ada Lovelace is on the Free plan, and a customer since 2019-12-10.")
    assert trial.tokens > 0


def test_a_wrong_answer_is_counted_as_wrong_with_the_reason(lookup: Network):
    """The script knows none of the other questions, and none of its excuses passes for an answer."""
    trials = [ask(lookup, question) for question in QUESTIONS[1:]]
    assert [trial.question.ask for trial in trials if trial.right] == []
    assert {trial.reason.partition(" like ")[0] for trial in trials} == {"says nothing"}


def test_a_run_that_fails_is_a_wrong_answer_with_its_error(lookup: Network):
    """A fault of the model does not end the trial."""
    broken = with_model(lookup, "nobody/none", base_url="", key="")
    trial = ask(broken, QUESTIONS[0])
    broken.close()
    assert (trial.right, trial.answer) == (False, "")
    assert "'nobody/none' is no model" in trial.reason

"""The trial's questions agree with the records (questions.yaml)."""

from pathlib import Path

import pytest

from crm.database import reading
from crm.questions import QUESTIONS, Question, missing


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.ask)
def test_a_right_answer_holds_what_the_database_says(question: Question, template: Path):
    """Else the trial would count the truth as wrong."""
    with reading(template) as connection:
        (row,) = connection.execute(question.data).fetchall()
    assert [str(value) for value in row if str(value) not in question.answer] == []
    assert missing(question, question.answer) == []


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.ask)
def test_an_empty_promise_is_not_a_right_answer(question: Question):
    """Nor is the question said back."""
    assert missing(question, f"Let me look that up for you: {question.ask}") != []


def test_there_are_ten_different_questions():
    """Enough for a table, few enough for a small model on a laptop."""
    assert len({question.ask for question in QUESTIONS}) == len(QUESTIONS) == 10

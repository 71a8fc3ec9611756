"""The trial's questions agree with the records (questions.yaml)."""

import shutil
from pathlib import Path

import pytest

from crm import customers
from crm.database import reading, writing
from crm.questions import QUESTIONS, Question, missing

ALL = [question for questions in QUESTIONS.values() for question in questions]


@pytest.mark.parametrize("question", ALL, ids=lambda question: question.ask)
def test_a_right_answer_holds_what_the_database_says(question: Question, template: Path, tmp_path: Path):
    """Else the trial would count the truth as wrong."""
    path = Path(shutil.copy(template, tmp_path)) if question.change else template
    for id, fields in question.change.items():
        with writing(path) as connection:
            customers.update(connection, id, fields)
    with reading(path) as connection:
        (row,) = connection.execute(question.data).fetchall()
    assert [str(value) for value in row if str(value) not in question.answer] == []
    assert missing(question, question.answer) == []


@pytest.mark.parametrize("question", QUESTIONS["lookups"], ids=lambda question: question.ask)
def test_an_empty_promise_is_not_a_right_answer(question: Question):
    """Nor is the question said back."""
    assert missing(question, f"Let me look that up for you: {question.ask}") != []


@pytest.mark.parametrize("job", QUESTIONS)
def test_there_are_ten_different_questions_for_each_job(job: str):
    """Enough for a table, few enough for a small model on a laptop."""
    assert len({question.ask for question in QUESTIONS[job]}) == len(QUESTIONS[job]) == 10

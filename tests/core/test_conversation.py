"""What a session remembers of what was said (core/conversation)."""

import pytest

from entracte.core.asking.conversation import conversation_text
from entracte.core.conversation.trail import action_line, with_actions, with_thought
from entracte.core.conversation.window import SUMMARY_CHARS, History, summed_up_by_rule, tokens_of
from entracte.core.documents.line import Line
from entracte.core.payload import Payload
from tests.core.builders import NOW, a_session, an_action


def said(*numbers, text="message {}"):
    """Messages by number, the user's even and the assistant's odd."""
    return tuple(Line(role=("user", "assistant")[n % 2], text=text.format(n)) for n in numbers)


@pytest.mark.parametrize(("messages", "is_long"), [(0, False), (30, False), (31, True)])
def test_a_session_is_summed_up_once_more_than_thirty_messages_have_gathered(messages, is_long):
    """Not before: what still fits is better whole."""
    assert History(latest=said(*range(messages))).is_long is is_long


def test_the_first_five_and_the_last_twenty_stay_as_they_were():
    """What the conversation is for, and what it is at."""
    history = History(latest=said(*range(31)))
    assert history.between == said(*range(5, 11))
    assert history.folded(history.between, "six messages") == History(
        opening=said(*range(5)), summary="six messages", latest=said(*range(11, 31))
    )


def test_the_summary_runs_on_when_more_has_gathered():
    """The first five are the session's first five for good."""
    history = History(opening=said(*range(5)), summary="old", latest=said(*range(11, 37)))
    assert (history.is_long, history.between) == (True, said(*range(11, 17)))
    assert history.folded(history.between, "old and new") == History(
        opening=said(*range(5)), summary="old and new", latest=said(*range(17, 37))
    )


def test_messages_that_came_while_the_summary_was_written_stay():
    """Only what the model has read is replaced."""
    before = History(latest=said(*range(31)))
    after = History(latest=said(*range(33))).folded(before.between, "six messages")
    assert after.latest == said(*range(11, 33))


def test_few_messages_of_many_tokens_are_summed_up_too():
    """Eighty thousand tokens, whatever the language; of the latest so many stay as take half of it."""
    history = History(latest=said(*range(24), text="漢" * 4000 + " {}"))
    assert history.is_long
    folded = history.folded(history.between, "much")
    assert tokens_of(folded.lines) <= 40_000
    assert folded.latest[-1] == history.latest[-1]


def test_without_any_summary_by_a_model_fifty_messages_are_kept():
    """By rule: how each of the others begins."""
    session = a_session()
    for number in range(51):
        session = session.with_turn(("user", "assistant")[number % 2], f"message {number}\nand more", NOW)
    assert (len(session.opening), len(session.window), session.turns) == (5, 20, 51)
    assert session.summary.splitlines()[0] == "assistant: message 5 and more"
    assert session.summary.splitlines()[-1] == "user: message 30 and more"


def test_a_summary_by_rule_is_bounded():
    """Of a very long one the middle goes, its beginning and its end stay."""
    summary = ""
    for number in range(300):
        summary = summed_up_by_rule(summary, said(number))
    assert len(summary) <= SUMMARY_CHARS
    assert summary.startswith("user: message 0\n")
    assert summary.endswith("assistant: message 299")


def test_the_context_has_the_conversation_in_order():
    """With what the assistant did, and without the message that is being answered."""
    did = ("thought: first look", 'look_up(name="Ada") → ok')
    history = History(
        opening=said(0, 1),
        summary="Much was said.",
        latest=(Line(role="assistant", text="Ada is on Pro.", did=did), Line(role="user", text="Since when?")),
    )
    assert conversation_text(history).splitlines() == [
        "user: message 0",
        "assistant: message 1",
        "(The messages in between, summed up:)",
        "Much was said.",
        "(The latest:)",
        "(assistant thought: first look)",
        '(assistant look_up(name="Ada") → ok)',
        "assistant: Ada is on Pro.",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 500, f'"{"x" * 500}"'),
        ("x" * 501, "Content summarized: 501 chars"),
        ("漢" * 2000, "Content summarized: 2000 chars"),
        ([1, 2], "[1, 2]"),
        (["word"] * 100, "Content summarized: 800 chars"),
        ("two\nlines", '"two\\nlines"'),
    ],
)
def test_an_argument_of_more_than_five_hundred_characters_is_said_to_be_long(value, shown):
    """And whatever it is, a call takes one line."""
    action = an_action(status="applied", arguments=Payload.of({"q": value, "n": 1}))
    assert action_line(action) == f"look_up(n=1, q={shown}) → ok"


def test_a_call_that_failed_says_why_on_its_line():
    """The next run need not find out again."""
    assert action_line(an_action(status="failed", error="No\nsuch name.")) == "look_up() → failed: No such name."


def test_a_trail_keeps_its_latest_lines():
    """A run of two hundred steps leaves no more than one of twelve."""
    trail = ()
    for number in range(20):
        trail = with_actions(with_thought(trail, f"thinking\n{number}"), [an_action(number, status="applied")])
    assert len(trail) == 12
    assert trail[-2:] == ("thought: thinking 19", "look_up() → ok")
    assert with_thought(trail, " ") == trail

"""What a client is told of its call (gateway/answering.py)."""

import pytest
from msgspec.structs import replace

from entracte.gateway.answering import answer
from tests.gates.shop import Shop, raising
from tests.gateway.counter import Counter


@pytest.fixture
def counter():
    """A shop that clients call at."""
    return Counter()


def answer_to(answered):
    """The answer, with commands as they are on a path."""
    return answer(answered, lambda words: f"entracte {words}")


def told(answered):
    """The text of an answer that is an error."""
    result = answer_to(answered)
    assert result["isError"] is True
    return result["content"][0]["text"]


def test_a_servers_own_answer_is_passed_on_as_it_is(counter):
    """Whatever it is, and also where it is an error."""
    made = counter.ask("read", id=1)
    for native in ({"content": [], "x": 1}, {"content": [], "isError": True}, {"error": {"code": 1, "message": "m"}}):
        for ending in ("applied", "failed"):
            assert answer_to(replace(made, outcome=replace(made.outcome, ending=ending, native=native))) is native


def test_a_tool_of_this_process_answers_with_text_and_structure(counter):
    """As servers do; a text is only a text."""
    record = {"plan": "Free", "note": "", "seen": 0}
    text = '{"plan": "Free", "note": "", "seen": 0}'
    assert answer_to(counter.ask("read", id=1)) == {
        "content": [{"type": "text", "text": text}],
        "structuredContent": record,
        "isError": False,
    }
    written = {"content": [{"type": "text", "text": "written"}], "isError": False}
    assert answer_to(counter.ask("write", id=1, plan="Pro")) == written


def test_a_result_that_a_hook_has_changed_is_the_one_that_is_told(counter):
    """What a masker took out does not go out by the back door: then there is no native answer."""
    made = counter.ask("read", id=1)
    masked = replace(made.outcome, result={"plan": "•••"}, raw={"plan": "Free"}, native=None)
    assert answer_to(replace(made, outcome=masked))["structuredContent"] == {"plan": "•••"}


def test_what_a_tool_refuses_is_told_in_its_words(counter):
    """And what does not fit it, in ours."""
    assert told(counter.ask("read", id=7)) == "Record 7 is not there."
    assert told(counter.ask("write", id="one")).startswith("The arguments do not fit: ")


def test_a_held_call_is_told_with_what_is_asked_why_and_how(counter):
    """Six lines, of which two can be typed."""
    held = counter.ask("send", to="ada")
    gate = held.gate.id
    assert told(held).splitlines() == [
        f"HELD, and not made: a person has to approve it. Gate {gate}.",
        "Call send?",
        "This cannot be undone.",
        f"To approve: entracte approve {gate}",
        f"To deny: entracte deny {gate}",
        "Once it is approved, make the same call again with exactly the same arguments.",
    ]
    assert told(counter.ask("send", to="ada")) == told(held)


def test_a_denied_call_is_told_with_the_reason(counter):
    """And that no other way is wanted either."""
    counter.decide(counter.ask("send", to="ada"), "deny", reason="Not today.")
    assert told(counter.ask("send", to="ada")).startswith("DENIED. Denied by ada. Not today. Do not try it in another")


def test_a_call_in_doubt_is_told_with_the_ways_out():
    """And afterwards with what the person has found, once."""
    shop = Shop()
    counter = Counter(shop)
    shop.after["add"] = raising(RuntimeError("cut off"))
    doubtful = counter.ask("add", plan="Pro")
    first, second, *_, happened, retry, give_up = told(doubtful).splitlines()
    assert (first, second) == ("IN DOUBT: add broke off with RuntimeError: cut off", "Do not repeat it.")
    gate = doubtful.gate.id
    assert [line.strip() for line in (happened, retry, give_up)] == [
        f"entracte answer {gate} {word}" for word in ("happened", "retry", "give_up")
    ]
    counter.decide(doubtful, "happened", reason="It is in the list.")
    assert told(counter.ask("add", plan="Pro")) == (
        "ALREADY MADE, and not made again: ada says that it happened. It is in the list. What it returned is not known."
    )

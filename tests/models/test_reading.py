"""A model's text as a reply (reading.py, embedded_json.py)."""

import json

import pytest
from hypothesis import given, strategies as st

from entracte.adapters.models.embedded_json import embedded_json
from entracte.adapters.models.reading import read_reply
from entracte.core.modelling import Fault, ModelReply, WantedCall
from tests.models.requests import GET, PLAN, SEARCH, a_request

WITH_TOOLS = a_request(tools=(SEARCH, GET), max_calls=2, max_output_tokens=100)
SEARCH_ADA = WantedCall("crm.search_customers", {"query": "Ada"})
CALLS = '{"thought": "Ada is not known yet.", "calls": [{"tool": "crm__search_customers", "args": {"query": "Ada"}}]}'
ANSWER = '{"thought": "Known.", "answer": "Ada is on Pro."}'
CUT_OFF = Fault("cut_off", "The reply was cut off after 100 tokens. Write less.")


def read(text, request=WITH_TOOLS, finish="stop"):
    """The reply for a text."""
    return read_reply(request, text, finish)


def test_calls_come_back_under_their_own_names():
    """What travelled as crm__search_customers is crm.search_customers again."""
    assert read(CALLS) == ModelReply(calls=(SEARCH_ADA,), thought="Ada is not known yet.")


def test_an_answer_is_the_value():
    """With its thought beside it."""
    assert read(ANSWER) == ModelReply(value="Ada is on Pro.", thought="Known.")


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{ANSWER}\n```",
        f"Here is what I found:\n\n{ANSWER}\n\nI hope that helps {{really}}.",
        f"Let me think {{about}} it.\n```\n{ANSWER}\n```\nDone.",
        '{"thought": "Known.", "calls": [], "answer": "Ada is on Pro."}',
        '{"thought": "Known.", "calls": null, "answer": " Ada is on Pro. "}',
        '{"thought": "Known.", "next": {"answer": "Ada is on Pro."}}',
    ],
)
def test_an_answer_is_found_in_what_models_put_around_it(text):
    """Code fences, sentences, empty calls."""
    assert read(text) == ModelReply(value="Ada is on Pro.", thought="Known.")


@pytest.mark.parametrize("text", ['{"calls": [{"tool": "t"}]}', '{"calls": [{"tool": "t", "args": {}}], "answer": ""}'])
def test_what_a_call_leaves_out_is_empty(text):
    """A tool without arguments needs none, and an empty answer is none."""
    assert read(text) == ModelReply(calls=(WantedCall("t", {}),))


def test_a_few_calls_too_many_are_passed_through():
    """The plan phase makes the first ones and tells the agent of the others."""
    assert len(read(json.dumps({"calls": [{"tool": "t"}] * 3})).calls) == 3


def test_unknown_tools_are_passed_through():
    """The plan phase tells the agent; it knows which tools there are."""
    assert read('{"calls": [{"tool": "crm__fly", "args": {}}]}').calls == (WantedCall("crm__fly", {}),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ada is on Pro.", "there is no JSON in it"),
        ('{"thought": "t", "calls": [{"tool": "a", "args": {"q": "b"}}', "Expecting ',' delimiter: line 1 column 61"),
        ('{"thought": "t", "answer": NaN}', "NaN is not JSON"),
        (f"{ANSWER}\n{CALLS}", "there is more than one JSON value in it"),
        ("[" * 100_000, "there is no JSON in it"),
        ('{"a":' * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_not_json_is_a_fault_that_says_why(text, message):
    """Part of a broken object is never taken for the whole."""
    fault = read(text).fault
    assert fault.kind == "invalid_json"
    assert message in fault.message
    assert fault.message.endswith("Send JSON alone.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7", "expected an object with calls or answer."),
        ('{"thought": "t"}', "expected calls or answer, found thought."),
        ("{}", "expected calls or answer, found nothing."),
        ('{"answer": "a", "calls": [{"tool": "t", "args": {}}]}', "it has both calls and answer; send one of them."),
        ('{"calls": {"tool": "t"}}', "/calls: expected a list."),
        ('{"calls": [{"tool": "t", "args": {}}, {"name": "t"}]}', '/calls/1: expected {"tool": name, "args": object}.'),
        ('{"calls": [{"tool": "t", "args": "{}"}]}', '/calls/0: expected {"tool": name, "args": object}.'),
        (json.dumps({"calls": [{"tool": "t"}] * 65}), "/calls: at most 2 calls at once, found 65."),
        ('{"answer": {"text": "Pro"}}', "/answer: expected a text."),
        ('{"answer": "\\ud800"}', "/answer: Not a JSON value: the lone surrogate U+D800"),
        ('{"calls": [{"tool": "t", "args": {"q": "\\ud800"}}]}', "/calls/0/args/q: Not a JSON value"),
    ],
)
def test_a_wrong_shape_is_a_fault_that_says_where(text, message):
    """The model is told in the next try."""
    fault = read(text).fault
    assert fault.kind == "malformed"
    assert message in fault.message


def test_a_value_that_breaks_the_schema_is_a_fault_that_says_where():
    """Also where the service enforced only the reduced schema."""
    fault = read('{"answer": {"plan": "gold"}}', a_request(tools=(SEARCH,), schema=PLAN)).fault
    assert fault.kind == "malformed"
    assert "/plan" in fault.message
    assert '"gold" is not one of "free" or "pro"' in fault.message


@pytest.mark.parametrize("request_", [WITH_TOOLS, a_request(), a_request(schema=PLAN)])
@pytest.mark.parametrize("text", ["", " \n\t"])
def test_nothing_is_an_empty_reply(request_, text):
    """Whatever was asked for."""
    assert read(text, request_).fault == Fault("empty", "The reply was empty.")


def test_a_blank_answer_is_an_empty_reply():
    """JSON around nothing is still nothing."""
    assert read('{"thought": "t", "answer": " "}').fault == Fault("empty", "The reply was empty.")


@pytest.mark.parametrize("text", ["", '{"thought": "Ada', f"{ANSWER[:-3]}"])
def test_what_the_limit_cut_is_cut_off(text):
    """Not invalid JSON, nor empty (a thinking model may use up the limit before its first word): the remedy differs."""
    assert read(text, finish="length").fault == CUT_OFF


def test_text_that_the_limit_cut_is_cut_off():
    """Half an answer looks like a whole one."""
    assert read("Ada is on", a_request(max_output_tokens=100), "length").fault == CUT_OFF


def test_a_whole_reply_at_the_limit_counts():
    """The last token may have been the last brace."""
    assert read(ANSWER, finish="length").value == "Ada is on Pro."


def test_a_withheld_reply_is_blocked_with_the_services_own_words():
    """Whatever text came with it."""
    message = "The model's service withheld the reply. I cannot help with that."
    assert read("I cannot help with that.", finish="blocked").fault == Fault("blocked", message)


def test_plain_text_is_taken_as_it_is():
    """JSON in it is no business of ours."""
    assert read(' {"a": 1} is JSON. ', a_request()) == ModelReply(value='{"a": 1} is JSON.')


def test_a_list_is_found_where_a_list_was_asked_for():
    """Its items are not mistaken for the value."""
    request = a_request(schema={"type": "array", "items": {"type": "object"}})
    assert read('The list [of two]: [{"a": 1}, {"b": 2}]', request).value == [{"a": 1}, {"b": 2}]


_PROSE = st.text(st.characters(exclude_characters='{["')).filter(lambda text: "```" not in text)
_OBJECTS = st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=4))


@given(_PROSE, _OBJECTS, _PROSE)
def test_an_object_is_found_in_any_prose(before, value, after):
    """Prose without braces, that is."""
    assert embedded_json(f"{before}{json.dumps(value)}{after}") == value


@given(_OBJECTS, st.data())
def test_half_an_object_is_never_taken_for_a_whole(value, data):
    """Wherever it was cut."""
    text = json.dumps({"thought": "t", "answer": value})
    with pytest.raises(ValueError, match=r"JSON|delimiter|Expecting|Unterminated|Invalid"):
        embedded_json(text[: data.draw(st.integers(1, len(text) - 1))])

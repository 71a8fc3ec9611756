"""Runs recorded with one model and replayed without it (recorder.py, script_rules.py)."""

import json

from entracte.adapters.models.scripted.model import Script
from entracte.adapters.models.scripted.recorder import Recording
from entracte.agents import Agent, Models, Network, tool
from entracte.core.modelling import Fault, ModelReply, WantedCall
from entracte.testing.scripted import ScriptedModel
from entracte.testing.world import World
from tests.models.requests import SEARCH, a_request


def replay(file):
    """The script that was recorded."""
    return Script.load(str(file))


def record(file, *exchanges):
    """Record replies, each to its request."""
    recording = Recording(str(file))
    for request, reply in exchanges:
        recording.of(ScriptedModel(lambda _, reply=reply: reply)).generate(request, deadline_s=1)


def test_a_reply_comes_back_as_it_was(tmp_path):
    """Dollar signs, which scripts give a meaning, included."""
    file = tmp_path / "run.json"
    called = ModelReply(calls=(WantedCall("crm.search_customers", {"query": "$input of $$ 5"}),), thought="Cost: $5.")
    request = a_request(tools=(SEARCH,), run="r1", frame="r1")
    record(file, (request, called), (a_request(step=2, run="r1", frame="r1"), ModelReply(value="$results: none")))
    script = replay(file)
    again = script.generate(a_request(tools=(SEARCH,), run="r2", frame="r2"), deadline_s=1)
    assert (again.calls, again.thought) == (called.calls, called.thought)
    assert script.generate(a_request(step=2, run="r2", frame="r2"), deadline_s=1).value == "$results: none"


def test_a_reply_names_the_run_that_it_is_replayed_in(tmp_path):
    """Verdicts name calls, and calls are named after runs."""
    file = tmp_path / "run.json"
    value = {"verdicts": [{"call": "r1.2.0", "verdict": "ok"}]}
    schema = {"type": "object", "properties": {"verdicts": {"type": "array"}}}
    record(file, (a_request(purpose="evaluate", run="r1", frame="r1", schema=schema), ModelReply(value=value)))
    again = replay(file).generate(a_request(purpose="evaluate", run="x9", frame="x9", schema=schema), deadline_s=1)
    assert again.value == {"verdicts": [{"call": "x9.2.0", "verdict": "ok"}]}


def test_of_two_replies_to_a_question_the_last_counts_and_faults_do_not(tmp_path):
    """Those before it could not be used."""
    file = tmp_path / "run.json"
    request = a_request()
    record(
        file,
        (request, ModelReply(value="first")),
        (request, ModelReply(fault=Fault("empty", "Nothing."))),
        (request, ModelReply(value="second")),
    )
    assert replay(file).generate(request, deadline_s=1).value == "second"
    assert len(json.loads(file.read_text("utf-8"))["replies"]) == 1


def test_siblings_are_told_apart_by_their_frames(tmp_path):
    """The same agent, asked twice at once."""
    file = tmp_path / "run.json"
    one, two = (a_request(run="r1", frame=f"r1.1.{index}") for index in (0, 1))
    record(file, (one, ModelReply(value="one")), (two, ModelReply(value="two")))
    script = replay(file)
    told = [script.generate(a_request(run="r2", frame=f"r2.1.{i}"), deadline_s=1).value for i in (0, 1)]
    assert told == ["one", "two"]


def test_a_whole_run_is_replayed_without_its_model(tmp_path):
    """Steps, calls, verdicts and the answer are the same."""

    @tool(effect="readonly", evaluation="A number.")
    def look(name: str) -> dict[str, str]:
        """Look something up."""
        return {"name": name}

    network = Network(entry=Agent(name="desk", tools=[look]), models=Models(main="scripted/none"))
    rules = [
        {"when": {"step": 1, "purpose": "plan"}, "reply": {"calls": [{"tool": "look", "args": {"name": "Ada"}}]}},
        {"when": {"step": 2, "purpose": "plan"}, "reply": {"answer": "Found Ada."}},
        {"when": {"purpose": "evaluate"}, "reply": {"verdicts": [{"call": "$results[0].call", "verdict": "ok"}]}},
    ]
    file = tmp_path / "run.json"
    first = World(network, Recording(str(file)).of(ScriptedModel(rules))).ask("Who is Ada?")
    runs = [first, World(network, replay(file)).ask("Who is Ada?")]
    assert [run.status for run in runs] == ["succeeded", "succeeded"]
    assert runs[0].output == runs[1].output

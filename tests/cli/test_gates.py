"""Seeing and deciding what waits for a person (commands/gates.py, decide_gates.py, answer_gate.py, gate_names.py)."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entracte.cli.runners.gate_decision import Decision
from entracte.cli.runners.local_runner import LocalRunner
from entracte.cli.views.gate_names import find_gate, means, short_name
from entracte.errors import Conflict, NotFound
from entracte.runtime.settings import Settings
from tests.cli.conftest import Done

Call = Callable[..., Done]

STOCK = ["--network", "stock:network"]


def waiting(call: Call, message: str) -> list[str]:
    """Gates that a run with this message waits at, by the names that its closing lines give."""
    done = call("run", message, *STOCK)
    assert (done.code, done.out) == (3, ""), done.err
    names = re.findall(r"entracte\S* (?:approve|answer) (\S+)", done.err.replace("-m entracte.cli.main", "entracte"))
    return list(dict.fromkeys(names))


def gates(call: Call, *arguments: str) -> list[dict[str, Any]]:
    """What `entracte gates` gives."""
    found: list[dict[str, Any]] = json.loads(call("gates", "--json", *arguments).out)["gates"]
    return found


def votes(call: Call) -> list[tuple[str, str, str]]:
    """Tool, who, and what they said, of every gate that anything was said to."""
    return [(g["tool"], v["by"], v["decision"]) for g in gates(call, "--status", "all") for v in g["votes"]]


def sent() -> list[str]:
    """What was shipped."""
    return Path("sent.txt").read_text().splitlines() if Path("sent.txt").exists() else []


def test_gates_shows_what_is_asked_and_the_commands_that_decide_it(call: Call):
    """Question, why, preview, and what to type; a pipe is asked nothing."""
    (name,) = waiting(call, "ship")
    shown = call("gates").out.splitlines()
    assert re.fullmatch(rf"{name}  waiting  approval, \d s ago, asked by agent keeper, for local", shown[0])
    assert [line.strip() for line in shown[1:6]] == [
        "Ship tea to ada?",
        "This cannot be undone.",
        "ship: Ship an item.",
        "+ item: tea",
        "+ to: ada",
    ]
    assert [line.split()[-2:] for line in shown[6:]] == [["approve", name], ["deny", name]]


def test_approving_makes_the_call_and_the_run_ends_with_its_answer(call: Call):
    """The process that decides drives the run; who said what is kept."""
    waiting(call, "ship")
    done = call("approve", "--by", "ada", "--reason", "she asked")
    assert (done.code, done.out, sent()) == (0, "Done.\n", ["tea to ada"])
    assert "✓ ada: approve: she asked" in done.err
    assert " succeeded · 2 steps · 1 call · " in done.err
    assert re.search(r"\? ada: approve, \d{4}-\d\d-\d\d \d\d:\d\d, cli: she asked\n", call("show").out)
    assert gates(call) == []


def test_a_denied_call_is_not_made_and_the_agent_goes_on(call: Call):
    """It is told, and the run ends with its answer."""
    waiting(call, "ship")
    done = call("deny", "--reason", "not now")
    assert (done.code, done.out, sent()) == (0, "Done.\n", [])
    assert "✗ local: deny: not now" in done.err
    assert "! Denied by local. not now" in call("show").out


def test_a_second_decision_is_told_who_decided_what(call: Call):
    """And changes nothing."""
    (name,) = waiting(call, "ship")
    call("deny", "--by", "ada")
    done = call("approve", name)
    assert (done.code, done.out, sent()) == (1, "", [])
    assert re.match(r"error: .*denied by ada at \d{4}-", done.err), done.err


def test_arguments_may_be_given_in_place_of_those_that_are_shown(call: Call):
    """Where the policy lets them."""
    waiting(call, "ship")
    assert call("approve", "--args", '{"item": "salt", "to": "ada"}').code == 0
    assert sent() == ["salt to ada"]
    assert "with other arguments" in call("gates", "--status", "approved").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--args", "{"], "The arguments are not JSON"),
        (["--args", "[]"], "The arguments are no JSON object."),
        (["--args", '{"item": 7, "to": "ada"}'], "do not fit the tool"),
        (["--args", "{}", "--all"], "--args changes one call."),
        (["abc", "--all"], "Both a gate and --all are given."),
        (["--run", "abc"], "--run goes with --all."),
        (["--by", "ada", "--url", "http://127.0.0.1:9"], "--by is for stores on this machine."),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(call: Call, arguments: list[str], message: str):
    """Nothing is decided by it."""
    waiting(call, "ship")
    done = call("approve", *arguments)
    assert (done.code, done.out, message in done.err) == (2, "", True), done.err
    assert [gate["status"] for gate in gates(call)] == ["waiting"]


def test_all_decides_each_gate_by_itself(call: Call):
    """Of one run or of several."""
    waiting(call, "ship both")
    waiting(call, "ship")
    done = call("approve", "--all", "--by", "ada")
    assert (done.code, done.out, len(sent())) == (0, "Done.\nDone.\n", 3)
    assert votes(call) == [("ship", "ada", "approve")] * 3


def test_all_of_a_run_leaves_those_of_others(call: Call):
    """Named by how its id begins."""
    first, second = waiting(call, "ship both")
    waiting(call, "ship")
    assert call("deny", "--all", "--run", first[:8]).code == 0
    assert {(gate["run"][:8], gate["status"]) for gate in gates(call, "--status", "all")} == {
        (first[:8], "denied"),
        (gates(call)[0]["run"][:8], "waiting"),
    }
    assert second.startswith(first[:8])


def test_all_leaves_what_is_not_approved_but_answered(call: Call):
    """It says how that is decided, and that the run still waits."""
    waiting(call, "ship and ask")
    done = call("approve", "--all")
    assert (done.code, sent()) == (3, ["tea to ada"])
    assert re.match(r"(\S+) is left: .*entracte\S* answer \1\n", done.err)


def test_a_refusal_among_several_decisions_is_exit_code_1(call: Call):
    """The others count all the same."""
    waiting(call, "ship and order")
    done = call("approve", "--all", "--by", "ada")
    assert (done.code, sent()) == (1, ["tea to ada"])
    assert "error: ada is not among the approvers of this gate.\n" in done.err
    assert "? Call order?" in done.err


def test_a_gate_that_asks_for_something_else_by_now_is_not_decided(call: Call):
    """What was shown to the person is sent with what they say."""
    waiting(call, "ship")
    (gate,) = gates(call)
    runner = LocalRunner.open(Settings(network="stock:network", store=".entracte/entracte.db"), None)
    try:
        with pytest.raises(Conflict, match="These are not the arguments that the gate shows now"):
            runner.decide({**gate, "digest": "sha256:0"}, Decision(word="approve"))
    finally:
        runner.close()
    assert sent() == []


def test_a_question_is_answered_by_text(call: Call):
    """Any word alone is the answer to the only one; to approve it means nothing."""
    waiting(call, "ask")
    refused = call("approve")
    assert (refused.code, "'approve' decides nothing here: Which tea?" in refused.err) == (2, True)
    assert (call("answer", "approve").code, votes(call)) == (0, [("ask_user", "local", "approve")])
    assert '"approve"' in call("show", "--json").out


def test_an_answer_that_is_not_given_is_not_made_up(call: Call):
    """The name of a gate alone is no answer to it."""
    (name,) = waiting(call, "ask")
    done = call("answer", name)
    assert (done.code, done.err.splitlines()[0], votes(call)) == (2, "error: No answer is given.", [])


def test_what_is_known_of_a_call_in_doubt_is_said_with_answer(call: Call):
    """In one of its words."""
    (name,) = waiting(call, "wire")
    assert "Decide it: " in call("answer", name, "perhaps").err
    assert call("answer", name, "give up", "--reason", "no log").code == 0
    assert votes(call) == [("wire", "local", "give_up")]


def test_several_people_approve_as_the_printed_commands_say(call: Call):
    """Each command names the next of them; whoever is none of them is refused."""
    (name,) = waiting(call, "order")
    refused = call("approve", name, "--by", "mallory")
    assert (refused.code, refused.err.splitlines()[0]) == (
        1,
        "error: mallory is not among the approvers of this gate.",
    )
    first = call(*gates_commands(call)[0])
    assert (first.code, "1 of 2 people have approved; it still waits." in first.err) == (3, True), first.err
    second = call(*gates_commands(call)[0])
    assert (second.code, second.out) == (0, "Done.\n")
    assert [by for _, by, _ in votes(call)] == ["mallory", "ops@example.com", "boss@example.com"]


def gates_commands(call: Call) -> list[list[str]]:
    """The words of the commands that `entracte gates` prints."""
    lines = [line.split() for line in call("gates").out.splitlines()]
    return [words[words.index(word) :] for words in lines for word in ("approve", "deny") if word in words[1:-1]]


def test_an_approver_decides_a_run_that_is_somebody_elses(call: Call, monkeypatch: pytest.MonkeyPatch):
    """It shows among what waits for them, and goes on as its owner's."""
    waiting(call, "order")
    monkeypatch.setenv("ENTRACTE_USER", "ops@example.com")
    assert [gate["tool"] for gate in gates(call)] == ["order"]
    assert call("approve").code == 3
    assert votes(call) == [("order", "ops@example.com", "approve")]


def test_a_run_goes_on_with_the_network_that_made_it(call: Call, monkeypatch: pytest.MonkeyPatch):
    """Whichever one the settings name."""
    waiting(call, "ship")
    monkeypatch.setenv("ENTRACTE_NETWORK", "hostile:network")
    assert (call("approve").out, sent()) == ("Done.\n", ["tea to ada"])


def test_printed_commands_keep_the_model_of_the_run(call: Call):
    """It must not go on with another."""
    model = f"scripted/{Path(__file__).with_name('networks') / 'stock.yaml'}"
    done = call("run", "ship", *STOCK, "--model", model)
    assert done.err.splitlines()[-2].endswith(f".1.0.1 --model {model}")


def test_one_of_several_has_to_be_named(call: Call):
    """By its own name; a run's stands for its only gate."""
    first, second = waiting(call, "ship both")
    done = call("approve")
    assert (done.code, done.err.splitlines()[0]) == (1, f"error: 2 gates could be meant: {first}, {second}.")
    assert call("approve", second).code == 3
    assert (call("deny", first[:8]).code, sent()) == (0, ["salt to grace"])


def test_of_many_gates_that_could_be_meant_it_is_said_how_many_are_not_named():
    """With the command that lists them all."""
    many = [{"id": f"0123456789abcdef0123.{n}.0.1", "status": "waiting"} for n in range(1, 22)]
    with pytest.raises(NotFound, match=r"^21 gates could be meant: .*, 01234567\.10\.0\.1 and 11 more\.") as refused:
        find_gate(many, "")
    assert refused.value.remedy.startswith("Name one of them. entracte gates lists those that wait")


def test_where_nothing_waits_it_is_said(call: Call):
    """A list of nothing is no error; a decision on nothing is."""
    assert call("gates", "--store", "memory") == Done(0, "", "Nothing waits for a decision.\n")
    assert call("approve", "--store", "memory") == Done(1, "", "error: Nothing waits for a decision.\n")
    assert call("approve", "--all", "--store", "memory").code == 1
    assert call("gates", "--store", "memory", "--status", "open").code == 2


@pytest.mark.parametrize(
    ("reference", "is_meant"),
    [
        ("0123456789", True),
        ("01234567.2", True),
        ("0123456789abcdef0123.2.0.1", True),
        ("01234567.2.0.1", True),
        ("01234567.3", False),
        ("9", False),
    ],
)
def test_a_gate_is_known_by_how_its_id_begins(reference: str, is_meant: bool):
    """The run's part may be shortened, as it is where it is shown."""
    assert means(reference, "0123456789abcdef0123.2.0.1") is is_meant
    assert short_name("0123456789abcdef0123.2.0.1") == "01234567.2.0.1"


def test_a_whole_name_is_not_mistaken_for_the_beginning_of_another():
    """Gate 1 of a call is not gate 10 of it."""
    many = [{"id": f"0123456789abcdef0123.1.0.{n}", "status": "waiting"} for n in (1, 10)]
    assert find_gate(many, "01234567.1.0.1")["id"].endswith(".1.0.1")
    with pytest.raises(NotFound, match="2 gates could be meant"):
        find_gate(many, "01234567.1")

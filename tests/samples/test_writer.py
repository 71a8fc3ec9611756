"""The writing assistant, by its script (writer/)."""

import pytest

import writer
from entracte.agents import Network
from tests.samples.conftest import Open
from writer.tools.library import entries, search_library

FACT = "How does a letter burn?"
BEGIN = "Begin my novel about a lighthouse keeper."
BURN = "Let the letter of the first chapter burn instead."
LAST = "In the morning the letter was gone.\n"


@pytest.fixture
def sei(opened: Open) -> Network:
    """The sample, with an empty desk."""
    return opened(writer.network)


def desk(network: Network) -> dict[str, str]:
    """Title and text of every paper of the session."""
    shelf = network._embedded.runtime.open_shelf("novel", network._embedded.owner)
    return {paper.title: shelf.get(paper.id).text for paper in shelf.list()}


def before_the_answer(network: Network, run: str) -> int:
    """Model calls that a run took before its answer: what to remember is decided after it."""
    return sum(e["usage"]["model_calls"] for e in network.events(run) if e.get("phase") == "plan")


@pytest.mark.parametrize(("message", "agent"), [("Good evening!", "chat"), (FACT, "research"), (BEGIN, "writing")])
def test_each_message_goes_to_the_agent_that_it_is_for(sei: Network, message: str, agent: str):
    """Sorted by the light model before anything is planned."""
    assert sei.run(message).raise_for_status().data["agent"] == agent


def test_small_talk_costs_two_model_calls(sei: Network):
    """One that sorts, one that answers."""
    assert before_the_answer(sei, sei.run("Good evening!").id) == 2


def test_the_caller_may_name_the_route(sei: Network):
    """And then nothing is sorted."""
    run = sei.run(BURN, route="chat").raise_for_status()
    assert (run.data["agent"], before_the_answer(sei, run.id)) == ("chat", 1)


def test_what_was_looked_up_is_quoted_and_stays_on_the_desk(sei: Network):
    """The tool is marked `persist`."""
    run = sei.run(FACT, session="novel").raise_for_status()
    (entry,) = search_library("letter burns")
    assert run.text == f"{entry.text} ({entry.source})"
    assert [title for title, text in desk(sei).items() if entry.source in text] == ["search_library: letter burns"]


def test_a_wish_is_remembered_in_other_conversations(sei: Network):
    """Judged and written down after the answer, which does not wait for it."""
    ask = "What do you remember about my prose?"
    assert sei.run(ask, session="before").raise_for_status().text == "Nothing yet: tell me how you want your prose."
    sei.run("From now on I want the present tense.", session="wishes").raise_for_status()
    assert sei._embedded._bus.wait_idle(timeout_s=30)
    assert sei.run(ask, session="other").raise_for_status().text == "The author wants their prose in the present tense."


def test_small_talk_leaves_nothing_to_remember(sei: Network):
    """The judge says no."""
    sei.run("Good evening!").raise_for_status()
    assert "Nothing yet" in sei.run("What do you remember about my prose?").text


def test_four_papers_are_drafted_and_taken_away_again(sei: Network):
    """Nobody is asked, since undo leaves the desk as it was."""
    run = sei.run(BEGIN, session="novel").raise_for_status()
    assert sorted(desk(sei)) == ["Chapter 1: The Lamp", "Outline", "Plot", "The Second Winter"]
    assert desk(sei)["Chapter 1: The Lamp"].endswith(LAST)
    assert (sei.undo(run.id).status, desk(sei)) == ("undone", {})


def test_edits_wait_with_their_differences_and_are_undone_to_the_letter(sei: Network):
    """Each paper by a gate of its own; approved they apply, undone the papers are what they were."""
    sei.run(BEGIN, session="novel").raise_for_status()
    before = desk(sei)
    run = sei.run(BURN, session="novel")
    assert (run.status, desk(sei)) == ("waiting", before)
    changed = [line for gate in run.gates for line in gate["preview"] if line.startswith(("|-", "|+"))]
    assert changed[2:] == [
        "|- 1. The Lamp: Ida winds the lamp and finds the first letter. In the morning it is gone.",
        "|+ 1. The Lamp: Ida winds the lamp and finds the first letter. She burns it.",
    ]
    for gate in run.gates:
        sei.decide(gate["id"], "approve")
    sei.wait(run.id).raise_for_status()
    assert {title for title, text in desk(sei).items() if before[title] != text} == {"Chapter 1: The Lamp", "Outline"}
    assert (sei.undo(run.id).status, desk(sei)) == ("undone", before)


def test_a_denied_edit_leaves_the_novel_as_it_is(sei: Network):
    """And the author is asked what they would rather have."""
    sei.run(BEGIN, session="novel").raise_for_status()
    before = desk(sei)
    run = sei.run(BURN, session="novel")
    for gate in run.gates:
        sei.decide(gate["id"], "deny")
    assert sei.wait(run.id).raise_for_status().text == "Your novel stays as it is. What would you rather have?"
    assert desk(sei) == before


def test_a_draft_that_somebody_has_worked_on_is_not_taken_away(sei: Network):
    """The undo stops at the edited chapter, and shows it."""
    begun = sei.run(BEGIN, session="novel").raise_for_status()
    run = sei.run(BURN, session="novel")
    for gate in run.gates:
        sei.decide(gate["id"], "approve")
    sei.wait(run.id).raise_for_status()
    assert (sei.undo(begun.id).status, len(desk(sei))) == ("partial", 4)


def test_a_paper_that_is_there_is_not_drafted_again(sei: Network):
    """The agent is told, and edits it."""
    sei.run(BEGIN, session="novel").raise_for_status()
    again = sei.run(BEGIN, session="novel")
    errors = [e["data"]["error"] for e in sei.events(again.id) if e["type"] == "tool.result"]
    assert [error.partition("There is a paper ")[2][:9] for error in errors] == [
        "'The Seco", "'Outline'", "'Plot' al", "'Chapter ",
    ]  # fmt: skip


def test_the_library_finds_entries_that_have_all_words():
    """Whatever their case; nothing is found for words that no entry has together."""
    assert search_library("LAMP winter") == []
    assert search_library("lamp") == [entries()[0]]

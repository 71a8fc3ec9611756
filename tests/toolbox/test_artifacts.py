"""The artifact tools in runs: what they do, what waits, and what undo brings back (toolbox/artifacts/)."""

from typing import Any

import pytest

from entracte.agents import UNGATED, tool
from entracte.core.payload import canonical
from entracte.toolbox.artifacts import artifact_tools, edit_artifact
from tests.runtime.scenes import events, told, value
from tests.runtime.script import results
from tests.toolbox.desk import OUTLINE, Desk

EDIT = (
    "edit_artifact",
    {"artifact": "Outl", "edits": [{"search": "3. The letter is gone.", "replace": "3. It burns."}]},
)


@tool(effect="readonly", persist="web_search")
def search(q: str) -> list[dict[str, Any]]:
    """Search the web."""
    return [{"title": f"{q}, number {number}", "text": "said at length " * 10} for number in range(20)]


def test_a_saved_result_is_seen_fetched_and_used():
    """The whole way: a tool's result is saved, the next plan sees its beginning, and the tool fetches all of it."""
    desk = Desk([search, *artifact_tools])
    run = desk.ask(("search", {"q": "letters"}), ("get_artifact", {"artifact": "search: let"}))
    (saved,) = events(desk.world, run, "artifact.saved")
    (artifact,) = desk.shelf.list()
    assert saved.data == {
        "action": f"{run.id}.1.0",
        "artifact": artifact.id,
        "title": "search: letters",
        "artifact_type": "web_search",
        "chars": artifact.chars,
    }
    shown = desk.model.asked("plan")[1].part("artifacts")
    assert shown.startswith("Papers on the desk. Where there is a snippet, get_artifact gives the whole.\n{")
    assert '"title": "search: letters"' in shown and '"snippet": "[\\n  {' in shown and len(shown) < 700
    got = results(desk.model.asked("evaluate")[1])[0]["result"]
    assert (got["content"], got["id"]) == (desk.shelf.get(artifact.id).text, artifact.id)
    assert got["content"].count("number") == 20


def test_an_edit_waits_with_a_diff_and_undo_restores_every_byte():
    """The person sees what would change and where; what is approved is done; what is undone is as it was, times too."""
    desk = Desk()
    outline = desk.put("Outline of the book", OUTLINE, tags=["plot"])
    before = desk.stored()
    run = desk.ask(EDIT)
    (gate,) = desk.gates(run)
    assert gate.question == "Edit the artifact Outline of the book?"
    assert gate.preview[:8] == (
        "edit_artifact: Change the text of an artifact.",
        "what changes:",
        "|  @@ -3,3 +3,3 @@",
        "|  1. Ada finds a letter.",
        "|  2. She does not open it.",
        "|- 3. The letter is gone.",
        "|+ 3. It burns.",
        f"  artifact: {outline.id}",
    )
    assert "  title: Outline of the book" in gate.preview
    assert desk.stored() == before

    run = desk.decide(run)
    assert (run.status, desk.shelf.get(outline.id).text) == (
        "succeeded",
        OUTLINE.replace("The letter is gone", "It burns"),
    )
    assert value(desk.actions(run)[0].result)["edits"] == [{"line": 5, "found": "exact"}]

    run = desk.undo(run)
    assert (run.status, desk.actions(run)[0].reversal.verified, desk.stored()) == ("undone", True, before)


CHANGES = {
    "update": ("update_artifact", {"artifact": "Outline", "title": "Plot", "tags": ["a", "b"], "active": False}),
    "delete": ("delete_artifact", {"artifact": "Outline"}),
    "edit": ("edit_artifact", {"artifact": "Outline", "content": "All new.\r\n"}),
    "blocks": (
        "edit_artifact",
        {"artifact": "Outline", "edits": "<<<<<<< SEARCH\n# Plot\n=======\n# The plot\n>>>>>>> REPLACE"},
    ),
    "create": ("create_artifact", {"title": "Notes", "content": "Rain.\n", "tags": ["mood"]}),
    "create a shared one": ("create_artifact", {"title": "Style", "content": "Plain.", "shared": True}),
}


@pytest.mark.parametrize("text", [OUTLINE, OUTLINE * 2000], ids=["small", "large"])
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_changed_undo_brings_back(change, text):
    """Verified by reading, with ids and times; the shared shelf like the session's, large contents like small ones."""
    desk = Desk(policy=UNGATED)
    desk.put("Outline", text if change != "blocks" else OUTLINE)
    before = desk.stored()
    run = desk.ask(CHANGES[change])
    (action,) = desk.actions(run)
    assert (action.status, action.warnings) == ("applied", ())
    assert desk.stored() != before
    run = desk.undo(run)
    assert (run.status, desk.stored()) == ("undone", before)
    assert desk.actions(run)[0].reversal.verified


def test_a_run_of_changes_is_undone_as_a_whole():
    """Made, edited twice, renamed and deleted in one run: newest first, each from what the one before left."""
    desk = Desk(policy=UNGATED)
    run = desk.ask(
        ("create_artifact", {"title": "Draft", "content": "one two\n"}),
        ("edit_artifact", {"artifact": "Draft", "edits": [{"search": "one", "replace": "1"}]}),
        ("edit_artifact", {"artifact": "Draft", "edits": [{"search": "two", "replace": "2"}]}),
        ("update_artifact", {"artifact": "Draft", "title": "Final"}),
        ("delete_artifact", {"artifact": "Final"}),
    )
    assert [action.status for action in desk.actions(run)] == ["applied"] * 5
    assert desk.stored() == {}
    assert (desk.undo(run).status, desk.stored()) == ("undone", {})


def test_an_undo_stops_where_somebody_has_gone_on():
    """What a person has written since is not overwritten: both texts are shown, and nothing is changed."""
    desk = Desk(policy=UNGATED)
    outline = desk.put("Outline", OUTLINE)
    run = desk.ask(EDIT)
    desk.shelf.change(outline.id, lambda a: a.changed(text=a.text + "4. The end.\n"), key="a person")
    run = desk.undo(run)
    assert (run.status, desk.shelf.get(outline.id).text) == (
        "partial",
        OUTLINE.replace("The letter is gone", "It burns") + "4. The end.\n",
    )


def test_what_was_approved_is_what_is_changed():
    """A title is looked up when the call is made, not when it is approved: another artifact of that name is safe."""
    desk = Desk()
    old = desk.put("Outline", OUTLINE)
    run = desk.ask(("delete_artifact", {"artifact": "Outline"}))
    desk.shelf.change(old.id, lambda a: a.changed(title="Old"), key="a person")
    new = desk.put("Outline", "New.")
    run = desk.decide(run)
    (action,) = desk.actions(run)
    assert (action.status, {a.id for a in desk.shelf.list()}) == ("failed", {old.id, new.id})
    assert action.error.startswith("The artifact 'Old' has changed: its version is ")


def test_an_edit_that_cannot_apply_is_refused_before_anybody_is_asked():
    """With every fault and its place; a model that fails at one form may use the other."""
    desk = Desk()
    desk.put("Outline", OUTLINE)
    run = desk.ask(
        ("edit_artifact", {"artifact": "Outline", "edits": [{"search": "letter", "replace": "l"}]}),
        ("edit_artifact", {"artifact": "Outline", "edits": "Change the letter."}),
        ("edit_artifact", {"artifact": "Outline", "edits": [{"search": "Plot", "replace": "Plot"}]}),
        ("edit_artifact", {"artifact": "Outline"}),
    )
    assert (run.status, [action.error for action in desk.actions(run)]) == (
        "succeeded",
        [
            "Edit 1: 'letter' stands there 2 times, at lines 3, 5: quote more of what is around the one that is meant. "
            "Nothing was changed.",
            "There is no block that begins with '<<<<<<< SEARCH'.",
            "This would change nothing.",
            "Give either edits, or content for a whole new text, or an instruction.",
        ],
    )


def test_a_reference_is_an_id_a_title_or_a_unique_beginning():
    """Exactly first; several are named, so that the agent can choose."""
    desk = Desk()
    plot, plots = desk.put("Plot", "a"), desk.put("Plots", "b")
    desk.put("Outline", OUTLINE)
    wanted = ["Plot", plots.id, "outl", "Plo", "Ending", plots.id[:6]]
    run = desk.ask(*[("get_artifact", {"artifact": reference}) for reference in wanted])
    found = [value(a.result)["title"] if a.result else a.error for a in desk.actions(run)]
    assert found == [
        "Plot",
        "Plots",
        "Outline",
        f"2 artifacts are called 'Plo' or begin so: 'Plots' ({plots.id}), 'Plot' ({plot.id}). Give the id.",
        f"There is no artifact 'Ending'. There are: 'Outline' ({desk.shelf.get('Outline').id}), "
        f"'Plots' ({plots.id}), 'Plot' ({plot.id}).",
        "Plots",
    ]


def test_lines_of_a_long_artifact_can_be_read():
    """As many as are asked for, and how many there are."""
    desk = Desk()
    desk.put("Long", "".join(f"line {number}\n" for number in range(1, 1001)))
    run = desk.ask(
        ("get_artifact", {"artifact": "Long", "first_line": 998}),
        ("get_artifact", {"artifact": "Long", "first_line": 5, "lines": 2}),
        ("get_artifact", {"artifact": "Long", "first_line": 2000}),
    )
    got = [value(action.result) for action in desk.actions(run)]
    assert [(part["lines"], part["content"]) for part in got] == [
        ("998 to 1000 of 1000", "line 998\nline 999\nline 1000\n"),
        ("5 to 6 of 1000", "line 5\nline 6\n"),
        ("none of 1000", ""),
    ]


def test_artifacts_are_listed_by_tag_and_activity():
    """Without contents; those of the session and the shared ones."""
    desk = Desk()
    desk.put("One", "1", tags=["x"])
    desk.put("Two", "2", tags=["x"], active=False)
    desk.put("Three", "3", shared=True)
    run = desk.ask(
        ("list_artifacts", {}), ("list_artifacts", {"tag": "x"}), ("list_artifacts", {"active": False}),
    )  # fmt: skip
    listed = [value(action.result) for action in desk.actions(run)]
    assert [[a["title"] for a in some["artifacts"]] for some in listed] == [
        ["Three", "Two", "One"],
        ["Two", "One"],
        ["Two"],
    ]
    assert [a["shared"] for a in listed[0]["artifacts"]] == [True, False, False]
    assert "content" not in canonical(listed)


def test_a_shared_artifact_is_seen_in_all_sessions_of_its_owner_and_in_no_others():
    """The session's own is seen in the session only."""
    desk = Desk()
    desk.put("Mine", "m")
    desk.put("Ours", "o", shared=True)
    see = desk.world.process.open_shelf
    assert [a.title for a in see("another", "ada").list()] == ["Ours"]
    assert [a.title for a in see("another", "eve").list()] == []


def test_a_tool_may_be_used_without_asking():
    """Where the author says so, or the manifest."""
    desk = Desk([edit_artifact.gated("never")])
    desk.put("Outline", OUTLINE)
    run = desk.ask(EDIT)
    assert [action.status for action in desk.actions(run)] == ["applied"]


@pytest.mark.parametrize("change", CHANGES)
def test_wherever_a_process_dies_a_change_is_made_once(change):
    """Each commit is killed in turn, before it and after, the tool's own too; the next process makes or finds it."""
    alive = Desk(policy=UNGATED)
    alive.put("Outline", OUTLINE)
    alive.ask(CHANGES[change])
    for point in range(100):
        desk = Desk(policy=UNGATED)
        desk.put("Outline", OUTLINE)
        store = desk.ask_of_a_mortal(CHANGES[change], dies_at=point)
        assert [action.status for action in desk.actions(desk.world.run(desk.run))] == ["applied"], point
        assert contents(desk) == contents(alive), point
        if not store.dead:
            break
    assert point > 10


def contents(desk):
    """What the artifacts say."""
    return sorted((f["title"], f["content"]["text"], f["active"]) for f in desk.stored().values())


def test_what_somebody_else_has_deleted_meanwhile_is_not_said_to_be_deleted():
    """Whoever approved it is asked once more, since it could not be undone; then the agent is told."""
    desk = Desk()
    desk.put("Outline", OUTLINE)
    run = desk.ask(("delete_artifact", {"artifact": "Outline"}))
    desk.shelf.delete("Outline")
    run = desk.decide(desk.decide(run))
    (action,) = desk.actions(run)
    assert (action.status, "There is no artifact" in action.error) == ("failed", True)


def test_the_model_hears_what_was_refused():
    """As with every other tool."""
    desk = Desk()
    desk.ask(("get_artifact", {"artifact": "Nothing"}))
    assert told(desk.model, 2) == ["get_artifact failed: There is no artifact 'Nothing'."]

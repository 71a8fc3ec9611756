"""Edits that a model makes of an instruction (toolbox/artifacts/instructed.py)."""

from typing import Any

import pytest

from entracte.core.modelling import ModelReply
from tests.runtime.scenes import actions
from tests.runtime.script import Script, calls, fault
from tests.toolbox.desk import OUTLINE, Desk

BURNS = [{"search": "3. The letter is gone.", "replace": "3. It burns."}]
BLOCK = "<<<<<<< SEARCH\n3. The letter is gone.\n=======\n3. It burns.\n>>>>>>> REPLACE"
CALL = ("edit_artifact", {"artifact": "Outline", "instruction": "Let the letter burn."})


def instructed(*said: Any) -> tuple[Desk, Any]:
    """A run whose agent gives an instruction, while the model for edits says these."""
    desk, answers = Desk(), iter(said)
    desk.put("Outline", OUTLINE)

    def reply(request):
        if request.purpose == "edit":
            answer = next(answers)
            return answer if isinstance(answer, ModelReply) else ModelReply(value=answer)
        return calls(CALL) if request.step == 1 else ModelReply(value="done")

    desk.model = desk.world.model = Script([reply])
    desk.world.process = desk.world.new_process()
    return desk, desk.world.ask("Go.")


@pytest.mark.parametrize(
    "said",
    [
        [{"edits": BURNS}],
        [fault("invalid_json"), BLOCK],
        [{"edits": [{"search": "not there", "replace": "x"}]}, BLOCK],
        [{"edits": [{"search": "e", "replace": "x"}]}, BLOCK],
    ],
    ids=["structured", "no JSON, then blocks", "nowhere, then blocks", "ambiguous, then blocks"],
)
def test_an_instruction_becomes_edits_that_a_person_sees(said: list[Any]):
    """What is approved are the edits; they are made as they were seen, and nobody is asked a second time."""
    desk, run = instructed(*said)
    (gate,) = desk.gates(run)
    assert "|- 3. The letter is gone." in gate.preview and "|+ 3. It burns." in gate.preview
    run = desk.decide(run)
    assert (run.status, desk.shelf.get("Outline").text) == (
        "succeeded",
        OUTLINE.replace("The letter is gone", "It burns"),
    )
    (action,) = actions(desk.world, run)
    assert action.usage.model_calls == len(said) == len(desk.model.asked("edit"))
    assert run.usage.model_calls == len(desk.model.requests)
    assert desk.undo(run).status == "undone" and desk.shelf.get("Outline").text == OUTLINE


def test_an_instruction_of_which_nothing_comes_is_told():
    """Nobody is asked about it."""
    desk, run = instructed(fault(), "I would rather not.")
    (action,) = actions(desk.world, run)
    assert (action.status, desk.gates(run), desk.shelf.get("Outline").text) == ("failed", [], OUTLINE)
    assert "No edits came of the instruction." in action.error

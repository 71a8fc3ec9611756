"""What becomes of a model's replies, good and bad (phases/plan.py, phases/repairing.py, phases/evaluate.py)."""

import pytest
from pydantic import BaseModel

from entracte.agents import Hook, tool
from entracte.core.modelling import Fault, ModelReply, Usage
from entracte.errors import ModelRefused, ModelUnavailable
from tests.runtime.scenes import a_world, actions, events, told
from tests.runtime.script import Script, calls, fault, judging


@tool(effect="readonly")
def look_up(name: str) -> str:
    """Look a customer up."""
    return f"{name} is on Pro"


LOOK_UP = calls(("look_up", {"name": "Ada"}))


def asked(*plans, **others):
    """A run with these plan replies, its world, and the model that was asked."""
    model = Script(plans, **others)
    world = a_world(model, look_up)
    return world.ask("Which plan is Ada on?"), world, model


def test_an_unusable_reply_is_told_to_the_model_and_asked_again():
    """It counts, it is journaled, and the answer comes all the same."""
    run, world, model = asked(fault("invalid_json", "The reply is not JSON."), "Ada is on Pro.")
    assert (run.status, run.output.value) == ("succeeded", "Ada is on Pro.")
    assert told(model, 1) == ["Your last reply could not be used: The reply is not JSON."]
    assert run.usage == Usage(prompt_tokens=300, output_tokens=30, model_calls=3)
    assert [event.data for event in events(world, run, "error")] == [
        {"message": "The model's reply could not be used: The reply is not JSON.", "fault": "invalid_json"}
    ]


def test_a_reply_that_the_limit_cut_off_gets_twice_the_room():
    """Each time again, and only at this step; other slips change nothing."""
    cut = fault("cut_off", "Write less.")
    _, _, model = asked(cut, cut, LOOK_UP, fault(), "done")
    assert [request.max_output_tokens for request in model.asked("plan")] == [8192, 16384, 32768, 8192, 8192]


def test_an_evaluation_that_never_can_be_used_is_journaled_each_time_and_given_up():
    """With its kind; the results are shown to the next plan unjudged, and its reply has the usual room again."""
    run, world, model = asked(LOOK_UP, "done", evaluate=[fault("cut_off", "Write less.")])
    assert run.status == "succeeded"
    assert [event.data["fault"] for event in events(world, run, "error")] == ["cut_off"] * 3
    assert [request.max_output_tokens for request in model.asked("evaluate")] == [8192, 16384, 32768]
    assert model.asked("plan")[-1].max_output_tokens == 8192


def test_a_reply_that_is_withheld_twice_fails_the_run():
    """A filter seldom changes its mind; the second time it has seen the note."""
    run, _, model = asked(fault("blocked", "Withheld."))
    assert (run.status, run.stop_reason, len(model.asked("plan"))) == ("failed", "error", 2)
    assert run.error == "The model gave 2 replies in a row that could not be used; the last: Withheld."


@pytest.mark.parametrize("kind", ["empty", "malformed", "cut_off", "stopped", "invalid_json"])
def test_three_unusable_replies_in_a_row_fail_the_run_with_the_last_reason(kind):
    """Nothing is asked for ever."""
    run, _, model = asked(fault(kind, f"It was {kind}."))
    assert (run.status, run.stop_reason) == ("failed", "error")
    assert run.error == f"The model gave 3 replies in a row that could not be used; the last: It was {kind}."
    assert len(model.asked("plan")) == 3


def test_unusable_replies_are_counted_in_a_row():
    """Two slips at each of two steps are not four in a row."""
    run, _, _ = asked(fault(), fault(), LOOK_UP, fault(), fault(), "done")
    assert run.status == "succeeded"


def test_what_was_wrong_with_a_reply_is_forgotten_with_the_next_good_one():
    """The agent is not told of a slip that it has put right."""
    _, _, model = asked(fault(), LOOK_UP, "done", interpret=[fault(), {"goals": [], "tasks": []}])
    assert told(model, 1) == ["Your last reply could not be used: The reply was empty."]
    assert told(model, 2) == []


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (ModelReply(value={"goals": "Answer."}), '/goals: "Answer." is not of type "array"'),
        (ModelReply(value="Well."), 'the value: "Well." is not of type "object"'),
        (LOOK_UP, "It asks for calls, but nothing can be called now."),
        (ModelReply(), 'the value: null is not of type "object"'),
        (ModelReply(value={"goals": ["\ud800"], "tasks": []}), "the lone surrogate U+D800"),
        (ModelReply(value={"goals": [], "tasks": []}, thought="\ud800"), "the lone surrogate U+D800"),
    ],
)
def test_an_interpretation_that_is_not_what_was_asked_for_is_asked_again(reply, words):
    """Adapters check replies, but a hook may have changed them since."""
    run, world, _ = asked("done", interpret=[reply, {"goals": ["Answer."], "tasks": []}])
    assert run.status == "succeeded"
    (error,) = events(world, run, "error")
    assert words in error.data["message"]


def test_an_unknown_tool_is_a_failed_call_that_the_agent_is_told_about():
    """With the names that it may use; nothing is called."""
    run, world, model = asked(calls(("lookup", {})), "Sorry.")
    assert [(a.status, a.attempt, a.error) for a in actions(world, run)] == [
        ("failed", 0, "There is no tool 'lookup'. You can call: look_up.")
    ]
    assert told(model, 2) == ["lookup failed: There is no tool 'lookup'. You can call: look_up."]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"nmae": "Ada"}, "The arguments do not fit: /name: Field required; /nmae: Extra inputs are not permitted."),
        ({"name": 7}, "The arguments do not fit: /name: Input should be a valid string."),
        (["Ada"], "Arguments must be a JSON object, not list."),
        (None, "Arguments must be a JSON object, not NoneType."),
        ("Ada", "Arguments must be a JSON object, not str."),
        ({"name": float("nan")}, "Not a JSON value: nan, which JSON does not have, at /name."),
    ],
)
def test_arguments_that_do_not_fit_are_told_to_the_agent(arguments, words):
    """It can try again with others; nothing is called."""
    run, world, model = asked(calls(("look_up", arguments)), "Sorry.")
    assert [(a.status, a.error) for a in actions(world, run)] == [("failed", words)]
    assert told(model, 2) == [f"look_up failed: {words}"]


def test_of_more_than_eight_calls_the_first_eight_are_made():
    """And the agent is told how many were left out."""
    run, world, model = asked(calls(*(("look_up", {"name": str(n)}) for n in range(11))), "done")
    assert [a.effective.value["name"] for a in actions(world, run)] == [str(n) for n in range(8)]
    assert told(model, 2) == ["3 calls too many were left out."]


def test_calls_left_out_are_remembered_through_an_unusable_evaluation():
    """What the agent is told of its choice is not lost when the judge slips."""
    wanted = calls(*(("look_up", {"name": str(n)}) for n in range(9)))
    _, _, model = asked(wanted, "done", evaluate=[fault(), judging()])
    assert told(model, 2) == ["1 calls too many were left out."]


class Plan(BaseModel):
    customer: str
    tier: int


def test_an_answer_that_does_not_satisfy_the_schema_is_repaired():
    """The model is told what was wrong, with the place."""
    model = Script([{"customer": "Ada"}, {"customer": "Ada", "tier": 2}])
    run = a_world(model, desk={"output": Plan}).ask("Which tier?")
    assert (run.status, run.output.value) == ("succeeded", {"customer": "Ada", "tier": 2})
    assert told(model, 1) == ['Your last reply could not be used: the value: "tier" is a required property']


@pytest.mark.parametrize("answer", ["", "   ", None, 7, {"message": "Ada"}])
def test_an_answer_in_text_must_be_text(answer):
    """A caller without a schema gets words, never an empty page."""
    run, _, model = asked(ModelReply(value=answer), "Ada is on Pro.")
    assert run.output.value == "Ada is on Pro."
    assert told(model, 1) == ["Your last reply could not be used: The answer must be text and must not be empty."]


@pytest.mark.parametrize("purpose", ["interpret", "evaluate"])
def test_of_a_refusal_of_any_length_the_beginning_is_kept(purpose):
    """A run that could not be closed would never end."""
    refused = [ModelRefused("No. " + "x" * 2_000_000)]
    world = a_world(Script([calls(("look_up", {"name": "Ada"})), "done"], **{purpose: refused}), look_up)
    run = world.ask("Go.")
    assert (run.status, run.error[:5], len(run.error)) == ("failed", "No. x", 2000)


def test_a_refusal_of_the_service_fails_the_run_with_its_words():
    """Trying again would fail again: a wrong key, an unknown model."""
    for where in ({"interpret": [ModelRefused("No such model.")]}, {"evaluate": [ModelRefused("No such model.")]}, {}):
        run, _, _ = asked(*([LOOK_UP] if where else [ModelRefused("No such model.")]), **where)
        assert (run.status, run.stop_reason, run.error) == ("failed", "error", "No such model.")


@pytest.mark.parametrize("purpose", ["interpret", "plan", "evaluate"])
def test_a_service_that_is_down_brings_the_message_back(purpose):
    """That it waits is noted, and the same question is asked once it is up again."""
    down = ModelUnavailable("Overloaded.")
    lines = {
        "interpret": ([down, {"goals": [], "tasks": []}], [LOOK_UP, "done"], [judging()]),
        "plan": ([{"goals": [], "tasks": []}], [down, LOOK_UP, "done"], [judging()]),
        "evaluate": ([{"goals": [], "tasks": []}], [LOOK_UP, "done"], [down, judging()]),
    }[purpose]
    run, world, model = asked(*lines[1], interpret=lines[0], evaluate=lines[2])
    assert run.status == "succeeded"
    assert [r.purpose for r in model.requests].count(purpose) == (3 if purpose == "plan" else 2)
    assert [event.data["message"] for event in events(world, run, "error")] == ["Tried again later: Overloaded."]


@pytest.mark.parametrize(
    "garbage",
    [
        fault("invalid_json", "The reply is not JSON."),
        ModelReply(value="fine"),
        ModelReply(value=["ok"]),
        ModelReply(value={"verdicts": [{"verdict": "ok"}], "state": {}}),
        ModelReply(value={"verdicts": [], "state": {"facts": ["\udfff"]}}),
        ModelReply(),
    ],
)
def test_results_are_not_lost_when_nobody_can_judge_them(garbage):
    """After two repairs the agent is given them as they are."""
    run, _, model = asked(LOOK_UP, "done", evaluate=[garbage])
    assert run.status == "succeeded"
    assert len(model.asked("evaluate")) == 3
    assert told(model, 2) == ['look_up gave (not judged): "Ada is on Pro"']


def test_a_judge_is_told_what_was_wrong_with_its_reply():
    """The same results, with the fault beside them."""
    _, _, model = asked(LOOK_UP, "done", evaluate=[fault("cut_off", "Write less."), judging()])
    first, second = model.asked("evaluate")
    assert (first.part("feedback"), second.part("feedback")) == ("", "Your last reply could not be used: Write less.")
    assert first.part("results") == second.part("results")


def test_verdicts_and_notes_reach_the_next_plan():
    """What went well needs no word."""
    run, world, model = asked(LOOK_UP, "done", evaluate=[judging(verdict="retry", note="Ask for Grace.")])
    assert told(model, 2) == ["look_up: retry. Ask for Grace."]
    assert [(a.verdict, a.verdict_note) for a in actions(world, run)] == [("retry", "Ask for Grace.")]


def test_a_diff_that_is_refused_reaches_the_next_plan_and_the_journal():
    """Beside what was applied."""
    run, world, model = asked(LOOK_UP, "done", evaluate=[judging({"facts": ["Pro", {"id": "F_009", "text": "x"}]})])
    assert told(model, 2) == ["State not changed: facts has no item 'F_009'; to add one, give its text alone"]
    (changed,) = events(world, run, "state.updated")
    assert [item["id"] for item in changed.data["applied"]] == ["F_001"]
    assert [refused["failed"]["id"] for refused in changed.data["refused"]] == ["F_009"]


def test_what_the_model_thought_is_an_event():
    """Beside what it decided."""
    run, world, _ = asked(calls(("look_up", {"name": "Ada"}), thought="Ada first."), "done")
    assert [event.data for event in events(world, run, "thought") if event.data["text"]] == [{"text": "Ada first."}]


@pytest.mark.parametrize("purpose", ["interpret", "plan", "evaluate"])
def test_a_reply_that_came_too_late_is_dropped_but_counted(purpose):
    """Another delivery has made the move meanwhile: what it decided holds, and both replies were paid for."""
    late = []

    class Repeating(Script):
        """While it is asked for the first time, the same message is handled by somebody else."""

        def generate(self, request, *, deadline_s, on_delta=None):
            if request.purpose == purpose and not late:
                late.append(request)
                world.process.engine.handle(delivered[-1])
            return super().generate(request, deadline_s=deadline_s)

    model = Repeating([LOOK_UP, "done"], evaluate=[judging({"facts": ["once"]})])
    world = a_world(model, look_up)
    delivered = []
    run = world.start("Go.")
    while world.bus.waiting:
        delivered.append(world.bus.waiting.pop(0))
        world.deliver(delivered[-1])
    ended = world.run(run.id)
    assert (ended.status, len(actions(world, run))) == ("succeeded", 1)
    assert [f["text"] for f in world.process.state.get("session", owner="ada")["facts"]] == ["once"]
    assert ended.usage.model_calls == len(model.requests) == 5


def test_calls_where_none_can_be_made_are_no_answer():
    """At the last step nothing can be called any more, whatever the model would like."""
    model = Script([LOOK_UP])
    run = a_world(model, look_up, desk={"max_steps": 3}).ask("Go.")
    assert (run.status, run.stop_reason) == ("failed", "error")
    assert "nothing can be called now" in run.error
    assert [request.step for request in model.asked("plan")] == [1, 2, 3, 3, 3]


class Mangling(Hook):
    """Turns every evaluation into something else."""

    def after_model(self, request, reply):
        if request.purpose != "evaluate":
            return reply
        return ModelReply(fault=Fault("blocked", "Withheld by policy."), usage=reply.usage)


def test_a_hook_that_withholds_an_evaluation_loses_no_results():
    """It comes to the same as a reply that cannot be used."""
    model = Script([LOOK_UP, "done"])
    run = a_world(model, look_up, harness=[Mangling()]).ask("Go.")
    assert (run.status, told(model, 2)) == ("succeeded", ['look_up gave (not judged): "Ada is on Pro"'])

"""What a tool can know and ask for (adapters/python/context.py)."""

import math
from datetime import UTC, datetime

import pytest

from entracte.agents import Hook, ToolContext, ToolResult, tool
from tests.runtime.one_call import called, ended
from tests.runtime.scenes import a_world, actions, events, frame, the_action, told, value
from tests.runtime.script import Script, calls


def test_the_context_says_where_a_call_comes_from():
    """And is no part of the schema."""
    seen = {}

    def look(name: str, ctx: ToolContext[None]) -> str:
        seen.update({k: getattr(ctx, k) for k in "run_id session_id agent step user idempotency_key attempt".split()})
        seen["metadata"], seen["deadline"] = ctx.metadata, datetime.fromtimestamp(ctx.deadline_ms / 1000, UTC)
        return name

    run, _, model = called(look, arguments={"name": "Ada"}, timeout_s=7)
    assert seen == {
        "run_id": run.id,
        "session_id": "session",
        "agent": "desk",
        "step": 1,
        "user": "ada",
        "idempotency_key": f"{run.id}.1.0",
        "attempt": 1,
        "metadata": {},
        "deadline": datetime(2026, 1, 1, 9, 0, 7, tzinfo=UTC),
    }
    (schema,) = model.asked("plan")[0].tools
    assert list(schema.parameters["properties"]) == ["name"]


def test_a_tool_reads_state_and_changes_it_item_by_item():
    """Its diff is applied with the step's results, before the judge's."""
    seen = []

    def learn(ctx: ToolContext[None]) -> ToolResult:
        """Learn."""
        seen.append(dict(ctx.state))
        ctx.update_state({"facts": "from the context", "tasks": [{"id": "T_001", "text": "done"}]})
        return ToolResult("learnt", state={"facts": "from the result"})

    model = Script([calls(("learn", {})), "done"], interpret=[{"goals": ["g"], "tasks": ["to do"]}])
    world = a_world(model, tool(effect="changing")(learn))
    run = world.ask("Go.")
    assert seen == [{"goals": [{"id": "G_001", "text": "g"}], "tasks": [{"id": "T_001", "text": "to do"}]}]
    facts = world.process.state.get("session", owner="ada")["facts"]
    assert [fact["text"] for fact in facts] == ["from the context", "from the result"]
    assert frame(world, run).local["tasks"].items[0].text == "done"


@pytest.mark.parametrize("effect", ["readonly", "changing"])
@pytest.mark.parametrize("diff", ["facts", {"facts": object()}, {"nonsense": "x"}, [1], {1: "x"}, {"facts": math.nan}])
def test_a_diff_that_is_none_costs_nothing_but_itself(effect, diff):
    """The call has been made; its result, its other diffs and the run go on."""

    def learn(ctx: ToolContext[None]) -> str:
        """Learn."""
        ctx.update_state(diff)
        ctx.update_state({"facts": "kept"})
        return "learnt"

    run, world, model = called(learn, effect=effect)
    assert ended(run, world) == ("applied", "learnt", "")
    assert run.status == "succeeded"
    assert [f["text"] for f in world.process.state.get("session", owner="ada")["facts"]] == ["kept"]
    refused = [*told(model, 2), *the_action(world, run).warnings]
    assert len(refused) == 1


@pytest.mark.parametrize("light", [False, True])
def test_state_for_which_no_document_has_room_is_refused_and_the_run_goes_on(light):
    """Eight calls at once may bring more than a session can hold."""

    @tool(effect="readonly")
    def note(n: int, ctx: ToolContext[None]) -> str:
        """Note."""
        ctx.update_state({"vars": f"{n}: {'x' * 200_000}"})
        return "noted"

    model = Script([calls(*(("note", {"n": n}) for n in range(8))), "done"])
    world = a_world(model, note, desk={"light": light})
    run = world.ask("Go.")
    assert (run.status, len(world.process.state.get(run.session, owner="ada")["vars"])) == ("succeeded", 1)
    assert "State not changed: vars has no room for 200,067 bytes more; keep it shorter" in told(model, 2)


def test_progress_is_journaled_in_order():
    """A bounded number of bounded lines."""

    def work(ctx: ToolContext[None]) -> str:
        for n in range(150):
            ctx.progress(f"{n} " + "x" * 1000 if n else "caf\udce9")
        return "done"

    run, world, _ = called(work, effect="changing")
    texts = [event.data["text"] for event in events(world, run, "tool.progress")]
    assert (len(texts), texts[0], texts[1][:4], max(map(len, texts))) == (100, "caf\\udce9", "1 xx", 500)
    kinds = [event.type for event in events(world, run) if event.type.startswith("tool.")]
    assert (kinds[0], kinds[-1]) == ("tool.called", "tool.result")


def test_a_tool_can_take_others_out_of_the_context():
    """For the rest of the frame."""

    @tool(effect="readonly")
    def other() -> str:
        """Do something else."""
        return "x"

    @tool(effect="readonly")
    def close(ctx: ToolContext[None]) -> str:
        """Close the others."""
        ctx.disable_tool("other")
        for n in range(30_000):  # which a document would not hold
            ctx.disable_tool(f"no such tool {n:100}")
        ctx.disable_agent("clerk")
        return "closed"

    model = Script([calls(("close", {})), calls(("other", {})), "done"])
    from entracte.agents import Agent

    world = a_world(model, other, close, agents=[Agent(name="clerk", prompt="x", light=True)])
    run = world.ask("Go.")
    assert [[t.name for t in request.tools] for request in model.asked("plan")] == [
        ["other", "close", "clerk"],
        ["close"],
        ["close"],
    ]
    assert actions(world, run)[1].error == "There is no tool 'other'. You can call: close."
    assert (frame(world, run).disabled_tools, frame(world, run).disabled_agents) == (("other",), ("clerk",))


def test_a_tool_can_end_the_frame_with_an_answer():
    """Once the step's calls have ended; the judge is not asked, state is kept."""

    @tool(effect="readonly")
    def other() -> str:
        """Do something else."""
        return "x"

    @tool(effect="readonly")
    def stop(ctx: ToolContext[None]) -> ToolResult:
        """Stop."""
        ctx.terminate("That is all.")
        return ToolResult(None, state={"facts": "kept"})

    model = Script([calls(("stop", {}), ("other", {})), "never"])
    world = a_world(model, other, stop)
    run = world.ask("Go.")
    assert (run.status, run.stop_reason, run.output.value) == ("succeeded", "terminated", "That is all.")
    assert [action.status for action in actions(world, run)] == ["applied", "applied"]
    assert model.asked("evaluate") == []
    assert [f["text"] for f in world.process.state.get("session", owner="ada")["facts"]] == ["kept"]


def test_an_answer_of_any_length_ends_the_run():
    """The run has it whole, up to half a million characters; the conversation has its beginning."""

    def stop(ctx: ToolContext[None]) -> None:
        ctx.terminate(answer)

    for given, length in ((400_000, 400_000), (3_000_000, 500_000)):
        answer = "x" * given
        run, world, _ = called(stop)
        assert (run.status, run.output.value) == ("succeeded", "x" * length)
        turns = world.process.runs.turns(world.process.runs.session("session", owner="ada")).items
        assert [len(turn.text) < 250_000 for turn in turns] == [True, True]


def test_secrets_come_from_the_secrets_port():
    """One that is not there is the tool's fault to deal with; its name is said, nothing else."""

    def look(ctx: ToolContext[None]) -> str:
        return ctx.secret("CRM_TOKEN")

    run, world, _ = called(look)
    status, _, error = ended(run, world)
    assert status == "failed"
    assert "CRM_TOKEN" in error


def test_what_tools_share_is_opened_once_and_only_when_it_is_used():
    """Per process."""
    opened = []

    @tool(effect="readonly")
    def look(ctx: ToolContext[dict[str, int]]) -> int:
        """Look."""
        return ctx.deps["n"]

    model = Script([calls(("look", {}), ("look", {})), "done"])
    world = a_world(model, look, deps=lambda: opened.append(1) or {"n": 7})
    assert opened == []
    run = world.ask("Go.")
    assert ([value(a.result) for a in actions(world, run)], opened) == ([7, 7], [1])


@pytest.mark.parametrize("light", [False, True])
def test_an_answer_that_does_not_fit_ends_nothing(light):
    """An agent that owes a value of a schema cannot be made to give another; it is told, and goes on."""

    @tool(effect="readonly")
    def stop(ctx: ToolContext[None]) -> None:
        """Stop."""
        ctx.terminate("That is all.")

    model = Script([calls(("stop", {})), {"plan": "Pro"}])
    world = a_world(model, stop, desk={"output": {"plan": "Pro"}, "light": light})
    run = world.ask("Go.")
    assert (run.stop_reason, run.output.value) == ("answered", {"plan": "Pro"})
    assert told(model, 2)[0].startswith("A tool gave a final answer that does not fit, so you go on: ")


@pytest.mark.parametrize("light", [False, True])
def test_an_answer_may_be_a_value_of_the_agents_schema(light):
    """Then it ends the frame like any other."""

    @tool(effect="readonly")
    def stop(ctx: ToolContext[None]) -> None:
        """Stop."""
        ctx.terminate({"plan": "Pro"})

    world = a_world(Script([calls(("stop", {})), "never"]), stop, desk={"output": {"plan": "Pro"}, "light": light})
    run = world.ask("Go.")
    assert (run.stop_reason, run.output.value) == ("terminated", {"plan": "Pro"})


def test_progress_is_told_while_the_call_is_under_way():
    """To observers and in the journal, before the call has ended; its end does not tell it again."""
    world_of, seen = [], []

    def work(ctx: ToolContext[None]) -> str:
        """Work."""
        ctx.progress("half")
        (world,) = world_of
        run = world.process.runs.list(owner="ada").items[0]
        seen.extend((event.type, event.data["text"]) for event in events(world, run, "tool.progress"))
        return "done"

    class Seeing:
        def __init__(self):
            self.types = []

        def on_event(self, event):
            self.types.append(event.type)

    seeing = Seeing()
    world = a_world(Script([calls(("work", {})), "done"]), tool(work), observers=[seeing])
    world_of.append(world)
    run = world.ask("Go.")
    assert seen == [("tool.progress", "half")]
    assert [event.data["text"] for event in events(world, run, "tool.progress")] == ["half"]
    assert seeing.types.count("tool.progress") == 1
    assert seeing.types.index("tool.progress") < seeing.types.index("tool.result")


@pytest.mark.parametrize("hindrance", ["masker", "store"])
def test_progress_that_cannot_be_told_at_once_is_told_at_the_end(hindrance):
    """A hook may still have to look at what tools say; a store may be busy. The tool goes on."""
    from entracte.errors import StoreUnavailable

    class Masking(Hook):
        def after_tool(self, call, result, ctx):
            return result

    class Busy:
        def __init__(self, store):
            self.store = store

        def __getattr__(self, name):
            return getattr(self.store, name)

        def commit(self, writes):
            if any(".progress." in write.path for write in writes):
                raise StoreUnavailable("Busy.")
            return self.store.commit(writes)

    def work(ctx: ToolContext[None]) -> str:
        """Work."""
        ctx.progress("half")
        return "done"

    harness = [Masking()] if hindrance == "masker" else []
    world = a_world(Script([calls(("work", {})), "done"]), tool(work), harness=harness)
    if hindrance == "store":
        world.process = world.new_process(store=Busy)
    run = world.ask("Go.")
    assert run.status == "succeeded"
    entries = [entry.id for entry in world.process.runs.journal(run).items if "progress" in str(entry.events)]
    assert entries == [f"{run.id}.1.0.ended"]

"""Agents in sequence (core/pipelines, runtime/engine/shaping.py, agents/pipeline.py)."""

import subprocess
import sys
from datetime import timedelta

import pytest

from entracte.agents import UNGATED, Agent, Budget, Models, Network, Pipeline, Route, Router, Stage
from entracte.core.modelling import ModelReply
from entracte.core.runs.forking import ForkRequest
from entracte.errors import ConfigurationError, ModelRefused
from entracte.runtime.services.forking import fork
from entracte.runtime.services.going_on import retry
from entracte.testing.crashing import each_death
from entracte.testing.simulation.sameness import comparable
from entracte.testing.world import World
from tests.gates.shop import Shop, gated
from tests.runtime.scenes import MODEL, frame
from tests.runtime.script import Script, calls

DRAFT = Agent(name="draft", prompt="You draft.", light=True)
REVIEW = Agent(name="review", prompt="You review.", light=True)
ROWS = Agent(name="rows", prompt="You list.", light=True, output={"rows": [{"id": 1}], "status": "FULL | PART"})
COUNT = Agent(name="count", prompt="You count.", light=True, input={"table": "orders", "rows": [1]})

PLANS = {
    "draft": lambda r: ModelReply(value=f"A draft about {r.part('input')}"),
    "review": lambda r: ModelReply(value=f"Reviewed: {r.part('input')}"),
    "rows": lambda r: ModelReply(value={"rows": [{"id": 7}, {"id": 8}], "status": "FULL"}),
    "count": lambda r: ModelReply(value=r.part("input")),
}


def a_line(*stages, plans=(), entry=None, name="line", **given):
    """A world whose entry is a pipeline, and its model."""
    model = Script({agent: [line] for agent, line in (PLANS | dict(plans)).items()})
    how = {name: given.pop(name) for name in ("budget", "router", "policy") if name in given}
    line = Pipeline(name, stages, **given)
    return World(Network(entry=entry or line, agents=[line], models=MODEL, **{"policy": UNGATED} | how), model), model


def test_each_stage_is_asked_with_what_the_one_before_it_said():
    """A text with references is its message; no model is asked for the pipeline itself."""
    world, model = a_line(Stage(agent=DRAFT, task="the sea: {input}"), Stage(agent=REVIEW, task="{result} ({input})"))
    run = world.ask("gulls")
    assert run.output.value == "Reviewed: A draft about the sea: gulls (gulls)"
    assert [r.agent for r in model.requests] == ["draft", "review"]
    assert [(a.tool, a.kind, a.status) for a in world.process.runs.actions(run)] == [
        ("draft", "agent", "applied"),
        ("review", "agent", "applied"),
    ]
    root = frame(world, run)
    assert (root.stage, root.cursor.step, root.usage.model_calls) == (2, 3, 2)


def test_without_a_task_a_stage_gets_the_last_result():
    """The first one what the pipeline was asked with."""
    world, _ = a_line(Stage(agent=DRAFT), Stage(agent=REVIEW))
    assert world.ask("gulls").output.value == "Reviewed: A draft about gulls"


def test_parts_of_a_result_keep_their_type_in_a_task_that_is_a_value():
    """Within a text they are text."""
    task = {"table": "of {result.status}: {result.rows.0.id}", "rows": ["{result.rows.1.id}"]}
    world, _ = a_line(Stage(agent=ROWS), Stage(agent=COUNT, task=task))
    assert world.ask("orders").output.value == '{"rows": [8], "table": "of FULL: 7"}'


def test_functions_make_tasks_and_transform_results():
    """Of the last result; a transform also makes the pipeline's answer."""
    world, _ = a_line(
        Stage(
            agent=ROWS, task=lambda asked: f"all of {asked}", transform=lambda found: [r["id"] for r in found["rows"]]
        ),
        Stage(agent=COUNT, task=lambda ids: {"table": "orders", "rows": ids}, transform=len),
    )
    run = world.ask("orders")
    assert run.output.value == len('{"rows": [7, 8], "table": "orders"}')
    assert [a.arguments.value for a in world.process.runs.actions(run)] == [
        {"message": "all of orders"},
        {"table": "orders", "rows": [7, 8]},
    ]


@pytest.mark.parametrize(
    ("stages", "error"),
    [
        ([Stage(agent=ROWS, transform=lambda r: r["no"])], "The transform of stage 1 of line failed: KeyError: 'no'"),
        ([Stage(agent=DRAFT, task=lambda r: 1 / 0)], "The task of stage 1 of line failed: ZeroDivisionError"),
        ([Stage(agent=DRAFT, transform=lambda r: {1, 2})], "The result cannot be kept"),
        ([Stage(agent=DRAFT, transform=lambda r: None)], "The last stage's result is no answer"),
        ([Stage(agent=ROWS), Stage(agent=DRAFT, task="{result.x}")], "Task of stage 2: {result.x} leads nowhere"),
        ([Stage(agent=COUNT, task=lambda r: {"rows": "no"})], "Stage 1, count, failed"),
        ([Stage(agent=DRAFT, task=lambda r: 7)], "Stage 1, draft, failed: Arguments must be a JSON object"),
    ],
)
def test_what_goes_wrong_ends_the_pipeline_and_says_where(stages, error):
    """As an error of the run, in words."""
    world, _ = a_line(*stages)
    run = world.ask("orders")
    assert (run.status, run.stop_reason) == ("failed", "error")
    assert error in run.error


def test_an_answer_has_to_satisfy_the_pipelines_output():
    """As any agent's."""
    world, _ = a_line(Stage(agent=ROWS), output={"rows": [{"id": 1}], "status": "FULL | PART"})
    assert world.ask("x").output.value["status"] == "FULL"
    world, _ = a_line(Stage(agent=DRAFT), output={"rows": [1]})
    assert "The last stage's result is no answer" in world.ask("x").error


def test_a_retry_goes_on_with_the_stage_that_failed():
    """Those before it are not asked again."""
    lines = iter([ModelRefused("Overheated."), "Good."])
    world, model = a_line(Stage(agent=DRAFT), Stage(agent=REVIEW), plans={"review": lambda r: said(next(lines))})

    def said(line):
        if isinstance(line, str):
            return ModelReply(value=line)
        raise line

    run = world.ask("gulls")
    assert (run.status, [r.agent for r in model.requests]) == ("failed", ["draft", "review"])
    retry(world.process.engine, run, by="ada")
    world.settle()
    assert world.run(run.id).output.value == "Good."
    assert [r.agent for r in model.requests] == ["draft", "review", "review"]


@pytest.mark.parametrize("faulty", [lambda r: 1 / 0, lambda r: {1, 2}], ids=["raises", "gives no JSON"])
def test_a_retry_transforms_what_the_stage_gave_and_not_what_it_was_given(faulty):
    """The function was wrong; the stage's result is still there, and the stage is not asked again."""
    functions = iter([faulty, str.upper])
    stages = Stage(agent=DRAFT, transform=lambda r: next(functions)(r)), Stage(agent=REVIEW)
    world, model = a_line(*stages)
    run = world.ask("gulls")
    assert run.status == "failed"
    retry(world.process.engine, run, by="ada")
    world.settle()
    assert world.run(run.id).output.value == "Reviewed: A DRAFT ABOUT GULLS"
    assert [r.agent for r in model.requests] == ["draft", "review"]


def test_a_fork_begins_with_a_stage():
    """Stages before it are not asked again."""
    world, model = a_line(Stage(agent=DRAFT), Stage(agent=REVIEW))
    run = world.ask("gulls")
    new = fork(world.process.engine, run, ForkRequest(run=run.id, at=2), idempotency_key="")
    world.settle()
    assert world.run(new.id).output.value == "Reviewed: A draft about gulls"
    assert [r.agent for r in model.requests] == ["draft", "review", "review"]


def test_budgets_are_shared_out_over_the_stages():
    """An equal part for each that is left, what one leaves over to those behind it."""
    world, _ = a_line(*(Stage(agent=DRAFT) for _ in range(3)), budget=Budget(tokens=9000))
    run = world.ask("gulls")
    shares = [action.share.tokens for action in world.process.runs.actions(run)]
    assert shares == [3000, (9000 - 110) // 2, 9000 - 220]
    assert frame(world, run).share.tokens == 9000 - 330


def test_after_its_time_is_over_no_stage_is_begun():
    """The pipeline ends with the reason, as an agent does."""
    late = {"draft": lambda r: world.clock.advance(seconds=100) or ModelReply(value="late")}
    world, _ = a_line(Stage(agent=DRAFT), Stage(agent=REVIEW), budget=Budget(wall_s=60), plans=late)
    run = world.ask("gulls")
    assert (run.status, run.stop_reason, run.error) == ("failed", "budget", "Budget used up: wall_s (limit 60 s).")
    assert [action.status for action in world.process.runs.actions(run)] == ["applied"]


def test_after_its_last_call_no_stage_is_begun():
    """A limit of calls is a limit as any other: the reason is the budget, and no call has failed."""
    world, _ = a_line(Stage(agent=DRAFT), Stage(agent=REVIEW), budget=Budget(actions=1))
    run = world.ask("gulls")
    assert (run.stop_reason, run.error) == ("budget", "The run may make no more calls (limit 1).")
    assert [action.status for action in world.process.runs.actions(run)] == ["applied"]


@pytest.mark.parametrize("where", ["sub-agent", "route", "stage"])
def test_a_pipeline_is_an_agent_to_others(where):
    """Called, sorted to, or a stage itself."""
    inner = Pipeline("inner", [Stage(agent=DRAFT), Stage(agent=REVIEW)], summary="Writes.")
    model = Script(
        {
            "desk": [calls(("inner", {"message": "gulls"})), "Done."],
            **{agent: [line] for agent, line in PLANS.items()},
        },
        route=[{"route": "write", "sure": True, "reason": ""}],
    )
    desk = Agent(name="desk", agents=[inner])
    how = {
        "sub-agent": {"entry": desk},
        "route": {"entry": desk, "router": Router(routes=[Route("write", "texts", inner)])},
        "stage": {"entry": Pipeline("outer", [Stage(agent=inner), Stage(agent=DRAFT)])},
    }[where]
    run = World(Network(models=MODEL, policy=UNGATED, **how), model).ask("gulls")
    assert run.status == "succeeded"
    assert (
        run.output.value
        == {
            "sub-agent": "Done.",
            "route": "Reviewed: A draft about gulls",
            "stage": "A draft about Reviewed: A draft about gulls",
        }[where]
    )
    if where == "sub-agent":
        (offered,) = model.asked("plan")[0].tools
        assert (offered.name, offered.description) == ("inner", "Writes.")


def test_a_crash_at_any_point_leaves_the_same_documents():
    """Functions may run again; what they gave is written once."""

    def run_with(fuse):
        world, _ = a_line(Stage(agent=ROWS, transform=lambda r: r["rows"]), Stage(agent=REVIEW, task=str))
        process = world.dying(fuse)
        world.start("orders")
        world.settle(process)
        world.heal()
        return comparable(world.documents())

    (_, undisturbed), *deaths = each_death(run_with)
    assert len(deaths) > 20
    for where, documents in deaths:
        assert documents == undisturbed, where


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Pipeline("line", []), "has no stages"),
        (lambda: Pipeline("line", [Stage(agent="nobody")]), "names the agent 'nobody'"),
        (lambda: Pipeline("line", [Stage(agent=DRAFT, task="{results}")]), "stage 1: {results} is neither"),
        (lambda: Pipeline("line", [Stage(agent=DRAFT, task={"a": ["{x}"]})]), "stage 1: {x} is neither"),
        (lambda: Pipeline("line", [Stage(agent=DRAFT, task="{result.a!r}")]), "is neither"),
        (lambda: Pipeline("line", [Stage(agent=DRAFT, task="{ result")]), "a brace is written twice"),
        (lambda: Pipeline("line", [Stage(agent="line")]), "call each other in a circle: line → line"),
    ],
)
def test_a_pipeline_that_cannot_work_is_an_error_when_the_network_is_built(build, words):
    """Named, with the stage."""
    with pytest.raises(ConfigurationError) as caught:
        Network(entry=build(), models=Models(main="scripted/main"))
    assert words in str(caught.value)


def test_braces_that_are_written_twice_are_braces_and_results_are_never_templates():
    """Whatever an agent says stands in the next task as it is."""
    world, _ = a_line(
        Stage(agent=DRAFT, task="{{input}} {input}", transform=lambda r: "{input} {{x}}"), Stage(agent=REVIEW)
    )
    run = world.ask("gulls")
    messages = [a.arguments.value["message"] for a in world.process.runs.actions(run)]
    assert messages == ["{input} gulls", "{input} {{x}}"]


def a_gated_chain(shop):
    """Desk → clerk → pipeline → writer, whose call changes a record, waits for a person and can be taken back."""
    writer = Agent(name="writer", tools=[shop.tools[1]])
    line = Pipeline("line", [Stage(agent=DRAFT), Stage(agent=writer, task="Note: {result}"), Stage(agent=REVIEW)])
    clerk = Agent(name="clerk", agents=[line])

    def first_then(first, answer):
        return lambda r: first if r.step == 1 else ModelReply(value=answer)

    plans = PLANS | {
        "desk": first_then(calls(("clerk", {"message": "gulls"})), "All done."),
        "clerk": first_then(calls(("line", {"message": "gulls"})), "Clerk is done."),
        "writer": first_then(calls(("write", {"id": 1, "plan": "Pro"})), "Written."),
    }
    model = Script({agent: [line] for agent, line in plans.items()})
    desk = Agent(name="desk", agents=[clerk])
    return World(Network(entry=desk, tools=shop.tools, models=MODEL, policy=gated("write")), model)


def test_a_call_in_a_stage_in_a_sub_agent_waits_a_month_is_approved_answered_and_undone():
    """Nothing runs meanwhile, and every frame above goes on where it stood."""
    shop = Shop()
    world = a_gated_chain(shop)
    run = world.ask("Write about gulls.")
    (gate,) = world.process.gates.of_run(run.id)
    assert (run.status, shop.done) == ("waiting", [])
    for _ in range(30):
        world.clock.advance(days=1)
        assert (world.sweep(), world.bus.waiting) == (0, [])
    later = world.again()
    later.process.gates.decide(gate.id, "approve", user="ada", via="http", operator=True)
    later.settle()
    run = later.run(run.id)
    assert (run.status, run.output.value, shop.plans()[1]) == ("succeeded", "All done.", "Pro")
    assert later.clock.now() - run.created >= timedelta(days=30)
    assert {f.agent: (f.depth, f.stop_reason) for f in later.process.runs.frames(run)} == {
        "desk": (1, "answered"),
        "clerk": (2, "answered"),
        "line": (3, "answered"),
        "draft": (4, "answered"),
        "writer": (4, "answered"),
        "review": (4, "answered"),
    }
    later.process.runs.undo(run.id, owner="ada")
    later.settle()
    assert (later.run(run.id).status, shop.plans()[1]) == ("undone", "Free")


def test_a_network_without_pipelines_loads_none():
    """Nor does a run of it."""
    code = (
        "import sys; from entracte.agents import Agent, Models, Network\n"
        "from entracte.testing.world import World\n"
        "from tests.runtime.script import Script\n"
        "net = Network(entry=Agent(name='desk'), models=Models(main='a/b'))\n"
        "assert World(net, Script(['hi'])).ask('x').status == 'succeeded'\n"
        "print([m for m in sys.modules if 'pipeline' in m or m.endswith('.shaping')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

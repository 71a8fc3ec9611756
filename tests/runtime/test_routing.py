"""Sorting messages before anything is planned (core/routing/sorting.py, core/runs/beginning.py)."""

import pytest

from entracte.agents import UNGATED, Agent, Budget, Models, Network, Route, Router, tool
from entracte.core.documents.frame import Cursor
from entracte.core.modelling import ModelReply
from entracte.core.pricing import Price, Prices
from entracte.core.runs.forking import ForkRequest
from entracte.core.runs.starting import RunRequest
from entracte.errors import ConfigurationError, InvalidInput, ModelRefused
from entracte.runtime.services.forking import fork
from entracte.testing.crashing import each_death
from entracte.testing.simulation.sameness import comparable
from entracte.testing.world import World
from tests.runtime.scenes import events, frame
from tests.runtime.script import Script, calls, fault


@tool(effect="readonly")
def look_up(message: str) -> str:
    """Look it up."""
    return f"found {message}"


CHAT = Agent(name="chat", prompt="You chat.", light=True)
WORK = Agent(name="work", prompt="You work.", tools=[look_up])
CLERK = Agent(name="clerk", prompt="You file.", initial_tool=look_up)
ROWS = Agent(name="rows", prompt="You count.", input={"table": "orders"})
ROUTES = (
    Route("chat", "greetings, small talk, what needs no tools", agent=CHAT),
    Route("work", "questions about orders", agent=WORK),
    Route("file", "papers", agent=CLERK),
    Route("rows", "tables", agent=ROWS),
)


def sorting(route, *, sure=True, reason="It says so."):
    """The light model's reply."""
    return {"route": route, "sure": sure, "reason": reason}


def a_desk(*route, default="work", **network):
    """A world with a router, and its model."""

    def work(request):
        return calls(("look_up", {"message": "7"})) if request.step == 1 else ModelReply(value="Sent.")

    plans = {"chat": ["Hello!"], "work": [work], "clerk": ["Filed."]}
    model = Script(plans | {"rows": ["3"]}, route=route)
    net = Network(
        entry=WORK,
        models=Models(main="scripted/main", light="scripted/light"),
        policy=UNGATED,
        router=Router(routes=ROUTES, default=default),
        **network,
    )
    return World(net, model), model


def routed(world, run):
    """What the journal says of the routing: route, agent, strategy, reason."""
    (event,) = events(world, run, "run.routed")
    return tuple(event.data[name] for name in ("route", "agent", "strategy", "reason"))


def test_small_talk_costs_one_call_besides_the_routing():
    """No first look at the request, no judge."""
    world, model = a_desk(sorting("chat"))
    run = world.ask("Good morning!")
    assert (run.status, run.output.value, run.agent, run.route) == ("succeeded", "Hello!", "chat", "chat")
    assert [(r.purpose, r.model) for r in model.requests] == [("route", "scripted/light"), ("plan", "scripted/main")]
    assert routed(world, run) == ("chat", "chat", "model", "It says so.")
    assert frame(world, run).usage.model_calls == 2


def test_the_light_model_sees_the_routes_the_conversation_and_the_message():
    """And nothing that it could call."""
    world, model = a_desk(sorting("chat"))
    world.ask("Good morning!", key="first")
    world.ask("And you?", key="second")
    asked = [r for r in model.requests if r.purpose == "route"][1]
    assert asked.part("routes").splitlines()[0] == "- chat: greetings, small talk, what needs no tools"
    assert asked.part("conversation") == "user: Good morning!\nassistant: Hello!"
    assert (asked.part("input"), asked.tools) == ("And you?", ())
    assert asked.schema["properties"]["route"] == {"enum": ["chat", "work", "file", "rows"]}


def test_of_a_long_conversation_the_light_model_sees_the_end():
    """What is meant by 'and the other one?' stands there; more would only cost."""
    world, model = a_desk(sorting("chat"))
    for number in range(5):
        world.ask(f"Message {number}", key=f"key {number}")
    last = [r for r in model.requests if r.purpose == "route"][-1]
    told = [f"user: Message {number}\nassistant: Hello!" for number in (1, 2, 3)]
    assert last.part("conversation") == "\n".join(told)


def test_work_goes_the_whole_way():
    """Interpreted, planned, judged."""
    world, model = a_desk(sorting("work"))
    run = world.ask("Where is order 7?")
    assert (run.output.value, run.agent) == ("Sent.", "work")
    assert [r.purpose for r in model.requests] == ["route", "interpret", "plan", "evaluate", "plan"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (sorting("chat", sure=False, reason="Could be both."), "Could be both."),
        (fault(), "The model's reply could not be used: The reply was empty."),
        ({"route": "sing", "sure": True, "reason": ""}, "could not be used: /route"),
        ("chat", "could not be used"),
        (calls(("look_up", {"message": "x"})), "nothing can be called now"),
        (ModelRefused("No such model."), "The model did not answer: No such model."),
    ],
)
def test_on_doubt_and_whatever_goes_wrong_the_default_route_answers(reply, reason):
    """A router that fails does not fail the run, and the journal says why."""
    world, _ = a_desk(reply)
    run = world.ask("Where is order 7?")
    route, agent, strategy, said = routed(world, run)
    assert (run.status, run.output.value) == ("succeeded", "Sent.")
    assert (route, agent, strategy) == ("work", "work", "default")
    assert reason in said


def test_without_a_default_route_the_entry_answers_on_doubt():
    """It is nobody's route."""
    world, _ = a_desk(fault(), default="")
    run = world.ask("Where is order 7?")
    assert (run.route, run.agent, run.output.value) == ("", "work", "Sent.")


def test_a_route_whose_agent_is_asked_with_something_else_is_not_taken():
    """Its input would not fit."""
    world, _ = a_desk(sorting("rows"))
    run = world.ask("How many rows?")
    assert routed(world, run)[:3] == ("work", "work", "default")
    assert "'rows' cannot be asked with this input" in routed(world, run)[3]


def test_a_caller_who_names_the_route_asks_no_light_model():
    """Agent mode off is the chat route."""
    world, model = a_desk(sorting("work"))
    run = world.ask("Where is order 7?", route="chat")
    assert (run.output.value, run.agent, run.route) == ("Hello!", "chat", "chat")
    assert [r.purpose for r in model.requests] == ["plan"]
    assert routed(world, run) == ("chat", "chat", "caller", "The caller named it.")


def test_a_caller_who_names_an_agent_passes_the_router_by():
    """As in any network."""
    world, model = a_desk(sorting("work"))
    run = world.ask("Hi", agent="chat")
    assert ([r.purpose for r in model.requests], run.route) == (["plan"], "")
    assert events(world, run, "run.routed") == []


@pytest.mark.parametrize(
    ("asked", "code"),
    [({"route": "sing"}, "unknown_route"), ({"route": "chat", "agent": "work"}, "agent_and_route")],
)
def test_a_route_that_cannot_be_taken_is_refused(asked, code):
    """Before anything is written."""
    world, _ = a_desk()
    with pytest.raises(InvalidInput) as caught:
        world.start("Hi", **asked)
    assert (caught.value.code, caught.value.pointer) == (code, "/route")
    assert world.documents() == {}


def test_an_initial_tool_runs_on_the_route_that_has_one():
    """The sorting opens its call in the same move."""
    world, model = a_desk(sorting("file"))
    run = world.start("A letter")
    world.deliver(world.bus.waiting.pop(0))
    assert frame(world, run).cursor == Cursor(step=0, phase="execute")
    world.settle()
    assert world.run(run.id).output.value == "Filed."
    assert [r.purpose for r in model.requests] == ["route", "evaluate", "interpret", "plan"]


@pytest.mark.parametrize("route", ["chat", "file"])
def test_a_crash_at_any_point_sorts_once_and_leaves_the_same_documents(route):
    """Agent, cursor and route are one move."""

    def run_with(fuse):
        world, _ = a_desk(sorting(route))
        process = world.dying(fuse)
        world.start("Order 7")
        world.settle(process)
        return comparable(world.documents())

    (_, undisturbed), *deaths = each_death(run_with)
    assert len(deaths) >= 5
    for where, documents in deaths:
        assert documents == undisturbed, where


def test_a_late_reply_of_the_light_model_is_dropped_and_paid_for():
    """Another delivery has sorted the message while the model was asked."""
    world, _ = a_desk(lambda request: overtaken(request))
    run = world.start("Hi")
    message = world.bus.waiting.pop(0)
    again = []

    def overtaken(request):
        if not again:
            again.append(request)
            world.deliver(message, world.new_process())
        return ModelReply(value=sorting("chat" if len(again) == 1 and request is not again[0] else "work"))

    world.deliver(message)
    world.settle()
    assert world.run(run.id).agent == "chat"
    assert len(events(world, run, "run.routed")) == 1
    entries = world.process.runs.journal(world.run(run.id), limit=100).items
    assert [entry.usage.model_calls for entry in entries if ".dropped." in entry.id] == [1]


def test_where_the_budget_has_no_room_for_sorting_nobody_is_asked():
    """The default route then says what is lacking."""
    world, model = a_desk(sorting("chat"), budget=Budget(tokens=300))
    run = world.ask("Hi")
    assert routed(world, run)[2] == "default" and "Budget used up: tokens" in routed(world, run)[3]
    assert [r.purpose for r in model.requests if r.purpose == "route"] == []
    assert run.stop_reason == "budget"


def test_after_its_time_is_over_nothing_is_sorted():
    """Not even by a light model."""
    world, model = a_desk(sorting("chat"), budget=Budget(wall_s=60))
    run = world.start("Hi")
    world.clock.advance(seconds=100)
    world.settle()
    assert (model.requests, world.run(run.id).stop_reason) == ([], "budget")


def test_a_fork_at_the_first_step_stays_on_the_route():
    """It is not sorted again."""
    world, model = a_desk(sorting("chat"))
    run = world.ask("Hi")
    new = fork(world.process.engine, run, ForkRequest(run=run.id, at=1), idempotency_key="")
    world.settle()
    assert world.run(new.id).output.value == "Hello!"
    assert [r.purpose for r in model.requests] == ["route", "plan", "plan"]


def test_a_message_that_was_started_under_a_router_that_has_gone_is_answered_by_default():
    """No replay: the frame stands where it stands."""
    world, _ = a_desk(sorting("chat"))
    run = world.start("Where is order 7?")
    bus = world.bus
    net = Network(entry=WORK, models=Models(main="scripted/main"), policy=UNGATED)
    later = world.again(network=net)
    later.bus.waiting = bus.waiting
    later.settle()
    assert later.run(run.id).output.value == "Sent."
    assert routed(later, run)[3] == "The network has no router any more."


def test_under_a_limit_of_cost_every_route_has_to_have_a_price():
    """Nobody knows yet which way the message goes; but a route that is named is the only one."""
    prices = Prices({"scripted/main": [Price(prompt=0, output=0)]})
    world, _ = a_desk(sorting("chat"), budget=Budget(cost_micro_usd=1000))
    world.prices = prices
    process = world.new_process()
    with pytest.raises(InvalidInput, match="price of scripted/light is not known"):
        process.runs.start(RunRequest(input={"message": "Hi"}), owner="ada", idempotency_key="")
    assert process.runs.start(RunRequest(input={"message": "Hi"}, route="chat"), owner="ada", idempotency_key="")


@pytest.mark.parametrize(
    ("router", "words"),
    [
        (lambda: Router(routes=[]), "no routes"),
        (lambda: Router(routes=[Route("a", "x", CHAT), Route("a", "y", CHAT)]), "Two routes are called 'a'"),
        (lambda: Router(routes=[Route("a", " ", CHAT)]), "needs a name, and a description"),
        (lambda: Router(routes=[Route("a", "x", "nobody")]), "Route 'a' leads to the agent 'nobody'"),
        (lambda: Router(routes=[Route("a", "x", CHAT)], default="b"), "default 'b' is none of its routes"),
    ],
)
def test_a_router_that_leads_nowhere_is_an_error_when_the_network_is_built(router, words):
    """Named, with what there is."""
    with pytest.raises(ConfigurationError) as caught:
        Network(entry=CHAT, models=Models(main="scripted/main"), router=router())
    assert words in str(caught.value)


def test_a_network_without_a_router_loads_none():
    """Nor does a run of it."""
    import subprocess
    import sys

    code = (
        "import sys; from entracte.agents import Agent, Models, Network\n"
        "from entracte.testing.world import World\n"
        "from tests.runtime.script import Script\n"
        "net = Network(entry=Agent(name='desk'), models=Models(main='a/b'))\n"
        "assert World(net, Script(['hi'])).ask('x').status == 'succeeded'\n"
        "print([m for m in sys.modules if m.endswith('.router') or '.routing' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

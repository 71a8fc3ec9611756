"""Budgets are kept before a request, not after it (core/frames/budget_check.py, core/frames/best_answer.py)."""

import pytest
from hypothesis import given, settings, strategies as st

from entracte.agents import Agent, Budget, Memory, Model, Models, Network, tool
from entracte.core.asking.measuring import prompt_tokens
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply, Usage
from entracte.core.pricing import Price, Prices
from entracte.core.runs.starting import RunRequest
from entracte.errors import InvalidInput
from entracte.testing.world import World
from tests.runtime.scenes import MODEL, a_world, events, frame, value
from tests.runtime.script import Script, calls, judging
from tests.toolbox.memory_scene import verdict, written

PRICE = Price(prompt=1_000_000, output=4_000_000)  # a micro-USD for a token, four for one of output
PRICED = Prices({"scripted/*": [PRICE]})


@tool(effect="readonly")
def look(at: str) -> str:
    """Look at it."""
    return f"saw {at}"


LOOKS = [calls(("look", {"at": n})) for n in "abcdefghijklmnopqrstuvwxyz"]


class Greedy:
    """A model that uses every token it is given: the whole prompt, and as much output as it may."""

    def __init__(self, *plans, **others):
        self.script = Script(list(plans), **others)

    @property
    def requests(self):
        return self.script.requests

    def generate(self, request, *, deadline_s, on_delta=None):
        reply = self.script.generate(request, deadline_s=deadline_s)
        usage = Usage(prompt_tokens=prompt_tokens(request), output_tokens=request.max_output_tokens, model_calls=1)
        return reply.evolve(usage=usage)


class Modest(Greedy):
    """A model that uses the whole prompt, and hardly any output."""

    def generate(self, request, *, deadline_s, on_delta=None):
        reply = super().generate(request, deadline_s=deadline_s)
        return reply.evolve(usage=reply.usage.evolve(output_tokens=20))


def asked(model, *, prices=PRICED, desk=None, **network):
    """A run of the desk."""
    entry = Agent(**{"name": "desk", "prompt": "You answer.", "tools": [look]} | (desk or {}))
    world = World(Network(entry=entry, models=MODEL, **network), model, prices=prices)
    return world.ask("Go."), world


def plans(model):
    """Tools offered by each plan request, and its limit of output."""
    return [([t.name for t in r.tools], r.max_output_tokens) for r in model.requests if r.purpose == "plan"]


def test_usage_is_priced_by_call_frame_and_run():
    """The journal has each call's cost, the frame and the run their sums."""
    model = Modest(LOOKS[0], "done")
    run, world = asked(model)
    entries = world.process.runs.journal(run).items
    costs = [entry.usage.cost_micro_usd for entry in entries if entry.usage.model_calls]
    assert costs == [prompt_tokens(request) + 4 * 20 for request in model.requests]
    assert run.usage.cost_micro_usd == frame(world, run).usage.cost_micro_usd == sum(costs)
    assert (run.usage.model_calls, run.usage.unpriced_calls) == (4, 0)


@pytest.mark.parametrize("budget", [Budget(tokens=6_000), Budget(cost_micro_usd=9_000)])
def test_the_last_of_a_budget_pays_for_the_answer(budget):
    """A request that would leave nothing for the answer is not made; the answer is asked for instead."""
    model = Modest(lambda request: LOOKS[request.step] if request.tools else ModelReply(value="All I saw."))
    run, _ = asked(model, budget=budget)
    assert (run.status, run.stop_reason, value(run.output)) == ("succeeded", "budget", "All I saw.")
    assert plans(model)[-1][0] == []
    assert "nearly used up" in model.requests[-1].system
    assert all(tools == ["look"] for tools, _ in plans(model)[:-1])


@given(st.integers(0, 40_000), st.booleans(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_budget_is_ever_exceeded_by_a_model_that_takes_all_it_may(limit, by_cost, greedy):
    """Whatever the limit is: requests are made only while they fit, with as much output as fits."""
    model = (Greedy if greedy else Modest)(*LOOKS[:9], "done", evaluate=[judging({"facts": ["x" * 300]})])
    run, _ = asked(model, budget=Budget(**{"cost_micro_usd" if by_cost else "tokens": limit}))
    used = run.usage.cost_micro_usd if by_cost else run.usage.tokens
    assert (run.closed, used <= limit) == (True, True)


@given(st.integers(0, 12_000))
@settings(max_examples=40, deadline=None)
def test_nor_is_it_by_what_comes_after_the_answer(limit):
    """Memories and summaries are paid by the run whose answer they follow."""
    model = Modest("done", judge=[verdict("Tea.")], refine=[written("Tea.")], summarise=["Tea."])
    run, _ = asked(model, budget=Budget(tokens=limit), desk={"tools": []}, memory=Memory())
    assert (run.closed, run.usage.tokens <= limit) == (True, True)


def test_without_budget_nothing_is_remembered_and_the_journal_says_why():
    """The answer took all of it; no later delivery asks either."""
    model = Greedy("done", judge=[verdict("Tea.")])
    run, world = asked(model, budget=Budget(tokens=5_000), desk={"tools": []}, memory=Memory())
    world.deliver(Message(kind="memorize", run=run.id, session="session"))
    assert (run.status, [request.purpose for request in model.requests]) == ("succeeded", ["interpret", "plan"])
    told = events(world, run, "thought")[-1].data["text"]
    assert told.startswith("Nothing is remembered, since the budget has no room for it: tokens (limit 5,000 for the")


def test_output_is_limited_to_what_is_left():
    """Less than the agent's own limit, and enough kept for the answer."""
    model = Modest("done")
    run, _ = asked(model, budget=Budget(tokens=5_000))
    assert run.stop_reason == "answered"
    used = 0
    for request in model.requests:
        prompt = prompt_tokens(request)
        assert request.max_output_tokens == 5_000 - used - 2 * prompt - 1024
        used += prompt + 20


def test_with_nothing_left_to_ask_with_the_answer_is_what_is_known():
    """Facts in state and results that nobody could judge; the reason is said."""
    model = Greedy(*LOOKS, interpret=[{"goals": ["Know it."], "tasks": ["Look."]}])
    world = World(Network(entry=Agent(name="desk", prompt="x", tools=[look]), models=MODEL), model, prices=PRICED)
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    world.process.state.change("session", {"facts": ["Ada is on Pro."]}, owner="ada")
    spent = frame(world, run)
    _leave(world, run, spent.share.evolve(tokens=100))
    world.settle()
    ended = world.run(run.id)
    assert (ended.status, ended.stop_reason) == ("succeeded", "budget")
    assert value(ended.output) == (
        "There was no budget left to finish this. What is known so far:\n- Ada is on Pro.\n"
        '- look gave (not judged): "saw a"'
    )
    assert ended.error.startswith("Budget used up: tokens (limit 1,000,000 for the run; 100 left here, and about ")


def test_where_nothing_is_known_the_run_fails_with_the_reason():
    """An answer that says nothing is none."""
    model = Greedy("done")
    run, _ = asked(model, budget=Budget(tokens=10))
    assert (run.status, run.stop_reason, run.output, model.requests) == ("failed", "budget", None, [])
    assert run.error.startswith("Budget used up: tokens (limit 10 for the run; 10 left here, and about ")


def test_an_answer_with_a_shape_of_its_own_is_not_made_up():
    """What is known is a text, which is not what the agent promised."""
    model = Greedy(*LOOKS)
    run, _ = asked(model, budget=Budget(tokens=100), desk={"output": {"plan": "a plan"}})
    assert (run.status, run.stop_reason, run.output) == ("failed", "budget", None)


def test_a_light_agents_last_results_are_in_its_best_answer():
    """They are taken in before the budget is looked at."""
    light = World(
        Network(entry=Agent(name="desk", prompt="x", tools=[look], light=True), models=MODEL),
        Greedy(*LOOKS),
        prices=PRICED,
    )
    run = light.start("Go.")
    light.deliver(light.bus.waiting.pop(0))
    _leave(light, run, frame(light, run).share.evolve(tokens=1))
    light.settle()
    ended = light.run(run.id)
    assert (ended.stop_reason, "saw a" in value(ended.output)) == ("budget", True)


def test_a_sub_agent_without_budget_gives_its_caller_what_it_knows():
    """The caller goes on with it, from the part that it had kept."""
    clerk = Agent(name="clerk", prompt="You look.", tools=[look])
    model = Script(
        {"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": LOOKS}, evaluate=[judging({"facts": ["seen"]})]
    )
    world = a_world(model, agents=[clerk], budget=Budget(tokens=9_000))
    run = world.ask("Go.")
    assert (run.status, value(run.output)) == ("succeeded", "done")


def test_a_model_without_a_price_is_refused_where_somebody_set_a_limit_of_cost():
    """At the door, with the remedy; a limit that nobody set forbids nothing, and says that the cost is not known."""
    model = Modest("done")
    run, world = asked(model, prices=Prices())
    assert (run.stop_reason, run.usage.cost_micro_usd, run.usage.unpriced_calls) == ("answered", 0, 2)
    request = RunRequest(input={"message": "Go."}, limits={"cost_micro_usd": 100})
    with pytest.raises(InvalidInput, match="price of scripted/model is not known") as refused:
        world.process.runs.start(request, owner="ada")
    assert (refused.value.code, refused.value.pointer) == ("unpriced_model", "/budget/cost_micro_usd")
    with pytest.raises(InvalidInput, match="scripted/model"):
        asked(model, prices=Prices(), budget=Budget(cost_micro_usd=100))


def test_a_price_that_has_gone_while_a_run_waited_stops_it_at_the_next_request():
    """The limit of cost was promised; the deployment may have changed since."""
    world = World(
        Network(entry=Agent(name="desk", prompt="x"), models=MODEL, budget=Budget(cost_micro_usd=10**6)),
        Modest("done"),
        prices=PRICED,
    )
    run = world.start("Go.")
    world.prices = Prices()
    world.process = world.new_process()
    world.settle()
    ended = world.run(run.id)
    assert (ended.status, ended.stop_reason) == ("failed", "budget")
    assert "the price of scripted/model is not known" in ended.error


def test_a_run_may_choose_among_the_models_that_the_network_allows():
    """By role; the choice is on the run, and asked for ever after."""
    models = Models(main="scripted/a", allowed=["scripted/b", Model("openai/c", base_url="http://localhost:1/v1")])
    network = Network(entry=Agent(name="desk", prompt="x"), models=models)
    script = Script(["done"])
    world = World(network, script)
    chosen = {"main": "scripted/b", "planning": "openai/c"}
    request = RunRequest(input={"message": "Go."}, models=chosen)
    run = world.process.runs.start(request, owner="ada")
    world.settle()
    assert world.run(run.id).models == chosen
    assert [(r.purpose, r.model) for r in script.requests] == [("interpret", "openai/c"), ("plan", "scripted/b")]
    assert network.model_options["openai/c"].base_url == "http://localhost:1/v1"
    served = [entry.served for entry in world.process.runs.journal(run).items if entry.usage.model_calls]
    assert served == ["script-1", "script-1"]
    for models in ({"main": "scripted/z"}, {"chief": "scripted/b"}):
        with pytest.raises(InvalidInput, match="does not allow"):
            world.process.runs.start(RunRequest(input={"message": "Go."}, models=models), owner="ada")


def _leave(world, run, share):
    """Leave the frame no more than this."""
    from entracte.core.addresses import frame_path
    from entracte.core.outcome import Put

    path = frame_path(run.id, run.id)
    loaded = world.process.engine.repository.load((path,))
    world.process.engine.repository.commit(loaded, (Put(path, loaded.documents[path].evolve(share=share)),))

"""Faults of a network, found when it is built (agents/checking.py, agents/network.py)."""

import pytest

from entracte.agents import Agent, Blocked, Budget, Hook, Key, Model, Models, Network, Secret, State, ToolSpec, tool
from entracte.errors import ConfigurationError

MODELS = Models(main="scripted/x")


@tool(effect="readonly")
def look(at: str) -> str:
    """Look."""
    return at


@tool(name="look")
def another_look() -> str:
    """Look again."""
    return ""


@tool
def clerk() -> str:
    """A tool of an agent's name."""
    return ""


NOTE = ToolSpec(name="note", summary="Write a note.", parameters={"type": "object"})


def agent(name="desk", **attributes):
    """An agent that says little."""
    return Agent(name=name, prompt="You answer.", **attributes)


def network(entry=None, **arguments):
    """A network of one agent, but for what is given."""
    return Network(**{"entry": entry or agent(), "models": MODELS} | arguments)


class Twice(State):
    cases = Key(scope="global", prefix="F", description="Cases.", how_to="One an item.")


class Silent(State):
    cases = Key(scope="globl", prefix="C", description="Cases.", how_to="One an item.")


class Misspelt(Hook):
    def befor_tool(self, call, ctx):
        raise Blocked("never")


class Camel(Hook):
    def beforeModel(self, request):  # noqa: N802  # the slip that is meant
        raise Blocked("never")


class Own(Hook):
    """With methods of its own that are like none."""

    def reset(self):
        """Begin anew."""


class Deaf:
    def on_events(self, event):
        """Never told."""


class Mute:
    """Sees nothing."""


MUTE = Mute()

CIRCLE = [agent("a", agents=["b"]), agent("b", agents=["c"]), agent("c", agents=["a"])]

FAULTS = {
    "an entry that is not there": (
        lambda: network("dsek", agents=[agent(), agent("clerk")]),
        "The entry 'dsek' is no agent of the network. Agents: clerk, desk.",
    ),
    "an entry where there is no agent": (
        lambda: network("desk"),
        "The entry 'desk' is no agent of the network. Agents: none.",
    ),
    "no model": (
        lambda: network(models=Models(main="")),
        'The network has no main model. Give Models(main="provider/name").',
    ),
    "two agents of one name": (
        lambda: network(agent(agents=[agent("clerk")]), agents=[agent("clerk")]),
        "Two agents are called 'clerk'. Names are unique: rename one.",
    ),
    "two tools of one name": (
        lambda: network(agent(tools=[look]), tools=[another_look]),
        "Two tools are called 'look'. Names are unique: rename one.",
    ),
    "a tool and an agent of one name": (
        lambda: network(agent(tools=[clerk], agents=[agent("clerk")])),
        "'clerk' is both a tool and an agent. Names are unique: rename one.",
    ),
    "names that are one on the wire": (
        lambda: network(agent(tools=["crm.look"]), tools=[_spec("crm.look"), _spec("crm__look")], on_tool_call=print),
        "'crm.look' and 'crm__look' are one name to models, since a dot travels as '__'. Rename one.",
    ),
    "a tool that is not there": (
        lambda: network(agent(tools=["lok"]), tools=[look]),
        "Agent 'desk' names the tool 'lok', which the network does not have. Tools: look.",
    ),
    "an initial tool that is not there": (
        lambda: network(agent(initial_tool="look")),
        "Agent 'desk' names the tool 'look', which the network does not have. Tools: none.",
    ),
    "an agent that is not there": (
        lambda: network(agent(agents=["clark"]), agents=[agent("clerk")]),
        "Agent 'desk' names the agent 'clark', which the network does not have. Agents: clerk, desk.",
    ),
    "an initial tool that cannot be called with the input": (
        lambda: network(agent(initial_tool=look)),
        "Agent 'desk': the initial tool 'look' needs at, which the agent's input does not have.",
    ),
    "a choice of tools that is none": (
        lambda: network(agent(tools=[look], tool_choice="any")),
        "Agent 'desk': tool_choice is 'any'; it must be one of auto, required.",
    ),
    "a call required where nothing can be called": (
        lambda: network(agent(tool_choice="required")),
        "Agent 'desk' is required to call something and has neither tools nor agents. "
        'Give it some, or leave tool_choice at "auto".',
    ),
    "an agent without a name": (
        lambda: network(agent("")),
        "Agent '': a name has letters, digits, _ and - only.",
    ),
    "an agent's name with a dot": (
        lambda: network(agent("my.desk")),
        "Agent 'my.desk': a name has letters, digits, _ and - only.",
    ),
    "a tool's name with a blank": (
        lambda: network(tools=[_spec("take a note")], on_tool_call=print),
        "Tool 'take a note': a name has letters, digits, _, - and . only.",
    ),
    "no steps": (
        lambda: network(agent(max_steps=0)),
        "Agent 'desk': max_steps is 0; it must be 1 or more.",
    ),
    "a tool that takes too long": (
        lambda: network(tools=[tool(timeout_s=451)(look.function.call)]),
        "Tool 'look': timeout_s is 451; at most 450.0 fit into a function.",
    ),
    "plain tools that nobody runs": (
        lambda: network(tools=[NOTE]),
        "Tool 'note' is plain data, and there is no on_tool_call to run it.",
    ),
    "a plain tool without a schema": (
        lambda: network(tools=[_spec("note", parameters={"type": "objct"})], on_tool_call=print),
        "Tool 'note': parameters is no JSON Schema: \"objct\" is not valid "
        "under any of the schemas listed in the 'anyOf' keyword.",
    ),
    "a circle of agents": (
        lambda: network(CIRCLE[0], agents=CIRCLE[1:]),
        "Agents call each other in a circle: a → b → c → a. Give the network a Budget(depth=…).",
    ),
    "an agent that calls itself": (
        lambda: network(agent(agents=["desk"])),
        "Agents call each other in a circle: desk → desk. Give the network a Budget(depth=…).",
    ),
    "two state keys of one prefix": (
        lambda: network(state=Twice),
        "State keys 'facts' and 'cases' both use the prefix 'F'.",
    ),
    "a state key of no scope": (
        lambda: network(state=Silent),
        "State key 'cases': scope is 'globl'; it must be one of global, local.",
    ),
    "a guard that is misspelt": (
        lambda: network(harness=[Own(), Misspelt()]),
        "Hook Misspelt has a method 'befor_tool', which nothing calls: did you mean 'before_tool'? "
        "Begin the names of its own methods with an underscore.",
    ),
    "a guard in the style of another language": (
        lambda: network(harness=[Camel()]),
        "Hook Camel has a method 'beforeModel', which nothing calls: did you mean 'before_model'? "
        "Begin the names of its own methods with an underscore.",
    ),
    "an observer that is misspelt": (
        lambda: network(observers=[Deaf()]),
        "Observer Deaf has a method 'on_events', which nothing calls: did you mean 'on_event'? "
        "Begin the names of its own methods with an underscore.",
    ),
    "an observer that cannot be told": (
        lambda: network(observers=[MUTE]),
        f"observers has {MUTE!r:.60} (Mute); expected an object with on_event(event).",
    ),
    "a class for a hook": (
        lambda: network(harness=[Own]),
        "harness has the class Own. Give an instance: Own(…).",
    ),
    "a hook for a list of hooks": (
        lambda: network(harness=7),
        "harness is 7 (int). Give a list: each is an instance of a subclass of Hook.",
    ),
    "a class for an observer": (
        lambda: network(observers=[Mute]),
        "observers has the class Mute. Give an instance: Mute(…).",
    ),
    "a function for a tool": (
        lambda: network(agent(tools=[look.function.call])),
        "Agent 'desk': tools has the function look; expected what is made by @tool, or a name.",
    ),
    "a function for a tool of the network": (
        lambda: network(tools=[look.function.call]),
        "tools has the function look; expected what is made by @tool, or a ToolSpec.",
    ),
    "a class for an entry": (
        lambda: network(Agent),
        "entry is the class Agent. Give an instance: Agent(…).",
    ),
    "a text for an agent": (
        lambda: network(agents=["desk"]),
        "agents has 'desk' (str); expected an Agent.",
    ),
    "words for a number": (
        lambda: network(agent(max_steps="many")),
        "Agent 'desk': max_steps: expected `int`, got `str`.",
    ),
    "no prompt": (
        lambda: network(Agent(name="desk", prompt=None)),
        "Agent 'desk': prompt is None (NoneType); expected a text.",
    ),
    "a limit that there is not": (
        lambda: network(budget=Budget(write=10)),
        "Budget has no 'write': did you mean 'writes'?",
    ),
    "a limit like none": (
        lambda: network(budget=Budget(euros=10)),
        "Budget has no 'euros': it has actions, writes, tokens, cost_micro_usd, wall_s, depth, parallel_calls.",
    ),
    "a limit out of bounds": (
        lambda: network(budget=Budget(depth=99)),
        "Budget(depth=99): input should be less than or equal to 20.",
    ),
    "an input that is no schema": (
        lambda: network(agent(input={"type": "objct"})),
        "Agent 'desk': input is no JSON Schema: \"objct\" is not valid "
        "under any of the schemas listed in the 'anyOf' keyword.",
    ),
    "an output that is nothing": (
        lambda: network(agent(output={})),
        "Agent 'desk': output is {}; expected a pydantic model, a JSON Schema or an example object.",
    ),
    "an output that is a type": (
        lambda: network(agent(output=int)),
        "Agent 'desk': output is <class 'int'>; expected a pydantic model, a JSON Schema or an example object.",
    ),
}


def _spec(name, parameters=None):
    return ToolSpec(name=name, summary="Do it.", parameters=parameters or {"type": "object"})


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_when_the_network_is_built(fault):
    """Whose it is, what was expected and what was found, and what to do where that is not plain."""
    build, message = FAULTS[fault]
    with pytest.raises(ConfigurationError) as caught:
        build()
    assert str(caught.value) == message


def test_forty_agents_that_know_all_behind_them_are_no_circle():
    """There are more ways through them than anybody could walk."""
    agents = [Agent(name=f"a{n}", agents=[f"a{m}" for m in range(n + 1, 40)]) for n in range(40)]
    assert len(Network(entry="a0", agents=agents, models=MODELS).blueprint.agents) == 40


def test_a_circle_is_allowed_under_a_budget():
    """Its depth bounds it."""
    assert network(CIRCLE[0], agents=CIRCLE[1:], budget=Budget(depth=3)).blueprint.limits.depth == 3


def test_agents_and_tools_may_be_given_as_objects_or_names():
    """Objects bring what they hold along; the same object twice is one."""
    helper = agent("helper", tools=[look])
    by_object = network(agent(agents=[helper, agent("other", agents=[helper])], tools=[look]))
    by_name = network(
        "desk",
        agents=[
            agent(agents=["helper", "other"], tools=["look"]),
            agent("helper", tools=["look"]),
            agent("other", agents=["helper"]),
        ],
        tools=[look],
    )
    assert by_object.blueprint.agents == by_name.blueprint.agents
    assert by_object.blueprint.tools == by_name.blueprint.tools


def test_the_version_changes_with_what_is_declared_and_with_nothing_else():
    """A run tells which declaration it ran under."""
    one = network(agent(tools=[look]))
    assert one.blueprint.version == network(agent(tools=[look]), name="other").using(name="network").blueprint.version
    others = [
        network(agent(tools=[look], knowledge="x")),
        network(agent()),
        network(agent(tools=[look]), budget=Budget(actions=1)),
        network(agent(tools=[look]), models=Models(main="scripted/y")),
    ]
    assert len({n.blueprint.version for n in [one, *others]}) == 5


def test_the_same_network_with_other_models_is_the_same_in_all_else():
    """As the settings ask for."""
    one = network(agent(tools=[look]), budget=Budget(actions=7))
    other = one.using(models=Models(main=Model("openai/qwen", base_url="http://x", api_key=Secret("KEY"))))
    assert other.blueprint.roles.main == "openai/qwen"
    assert other.model_options["openai/qwen"].api_key == Secret("KEY")
    assert (other.blueprint.agents, other.blueprint.limits) == (one.blueprint.agents, one.blueprint.limits)


def test_models_of_agents_keep_their_options():
    """Wherever a model with options is named."""
    own = Model("openai/own", base_url="http://own")
    planning = Model("openai/planning", base_url="http://planning")
    built = network(agent(model=own, planning_model=planning))
    assert built.model_options == {"openai/own": own, "openai/planning": planning}


def test_a_network_without_agents_or_tools_of_its_own_is_enough():
    """A prompt and a model."""
    blueprint = network().blueprint
    assert (list(blueprint.agents), dict(blueprint.tools), blueprint.entry) == (["desk"], {}, "desk")


def test_a_model_that_is_only_allowed_keeps_its_options():
    """Callers may choose it: then it is asked where it is."""
    local = Model("openai/qwen", base_url="http://localhost:8080/v1")
    network = Network(entry=Agent(name="desk"), models=Models(main="scripted/x", allowed=[local]))
    assert network.model_options == {"openai/qwen": local}

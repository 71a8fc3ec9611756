"""Loading a network from ``package.module:name`` (runtime/loading.py)."""

import sys

import pytest

from entracte.agents import Network
from entracte.errors import ConfigurationError
from entracte.runtime.loading import load_network, network_of, with_model
from entracte.runtime.settings import Settings

SOURCE = """
from entracte.agents import Agent, Model, Models, Network
desk = Agent(name="desk", prompt="You answer.")
network = Network(entry=desk, models=Models(main="scripted/one", judge=Model("scripted/two", base_url="http://x")))
text = "no network"
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module into the current folder; gives its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    names = []  # unique among tests, since modules stay loaded

    def write(source):
        name = f"net_{tmp_path.name}"
        (tmp_path / f"{name}.py").write_text(source)
        names.append(name)
        return name

    yield write
    for name in names:
        sys.modules.pop(name, None)


def test_a_network_is_found_in_the_current_folder_and_named_after_its_place(module):
    """As `python -m` would find it; runs tell which one they ran under."""
    name = module(SOURCE)
    network = load_network(f"{name}:network")
    assert isinstance(network, Network)
    assert network.blueprint.name == f"{name}:network"
    assert network.blueprint.roles.main == "scripted/one"


@pytest.mark.parametrize(
    ("source", "reference", "message"),
    [
        (
            SOURCE,
            "",
            "The network is named ''; expected package.module:name, such as crm:network. "
            "Name it so with --network, or in the variable ENTRACTE_NETWORK.",
        ),
        (
            SOURCE,
            "{}",
            "The network is named '{}'; expected package.module:name, such as crm:network. "
            "Name it so with --network, or in the variable ENTRACTE_NETWORK.",
        ),
        (SOURCE, "{}:nothing", "Module '{}' has no 'nothing'. Check the network's name: {}:nothing."),
        (SOURCE, "{}:text", "'{}:text' is a str, not a Network."),
        ("1 / 0", "{}:network", "Network '{}:network' fails to import: ZeroDivisionError: division by zero ({}.py:1)"),
        ("import no_such", "{}:network", "Network '{}:network' fails to import: ModuleNotFoundError: No module"),
        ("x = (", "{}:network", "Network '{}:network' fails to import: SyntaxError: '(' was never closed"),
        ("import os; os.nothing", "{}:network", "fails to import: AttributeError: module 'os' has no attribute"),
        (SOURCE.replace('"You answer."', '"", max_steps=0'), "{}:network", "Agent 'desk': max_steps is 0"),
    ],
)
def test_what_is_wrong_with_a_reference_is_said(module, source, reference, message):
    """The fault is in the reference, in the module, or in the network: the message tells which."""
    name = module(source)
    with pytest.raises(ConfigurationError) as caught:
        load_network(reference.format(name))
    assert message.replace("{}", name) in str(caught.value)


def test_a_module_that_is_not_there_is_named(module):
    """With the error of the import."""
    with pytest.raises(ConfigurationError, match=r"fails to import: ModuleNotFoundError: No module named 'no_such'"):
        load_network("no_such.module:network")


def test_a_model_in_the_settings_takes_every_role(module):
    """One variable tries a network on another model."""
    name = module(SOURCE)
    settings = Settings(network=f"{name}:network", model="openai/qwen", model_base_url="http://127.0.0.1:1")
    network = network_of(settings)
    assert (network.blueprint.roles.main, network.blueprint.roles.judge) == ("openai/qwen", "")
    assert network.model_options["openai/qwen"].base_url == "http://127.0.0.1:1"
    assert with_model(network, "") is network

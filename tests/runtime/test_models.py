"""The models of a network as it and the settings say (runtime/models.py, runtime/compose.py)."""

import pytest

from entracte.adapters.models.anthropic.model import AnthropicModel, VertexClaude
from entracte.adapters.models.google.vertex import VertexModel
from entracte.agents import Agent, Model, Models, Network, Secret
from entracte.errors import ConfigurationError
from entracte.runtime.deployed import deployed, secrets_of
from entracte.runtime.models import cloud_of, models_of
from entracte.runtime.settings import Settings, read_settings
from entracte.testing.model_server import ModelServer, completion
from tests.models.requests import a_request

ON_VERTEX = "vertex/gemini-3.8-flash"


def a_network(**models):
    """One agent with these models."""
    return Network(entry=Agent(name="desk"), models=Models(**models))


class Noted:
    """Secrets that remember what was asked of them."""

    def __init__(self):
        self.asked = []

    def get(self, name):
        self.asked.append(name)
        return "key"


def test_a_key_that_no_model_names_has_its_usual_name():
    """So that a bare string is enough."""
    secrets = Noted()
    with ModelServer(*[completion("Hello.")] * 2) as server:
        named = Model("openai/m", base_url=server.base_url, api_key=Secret("MINE"))
        network = a_network(main=named, light=Model("anthropic/m", base_url=server.base_url, max_retries=0))
        opened = models_of(network, secrets, None)
        opened("openai/m").generate(a_request(), deadline_s=10)
        with pytest.raises(Exception, match="gave no message"):
            opened("anthropic/m").generate(a_request(), deadline_s=10)
    assert secrets.asked == ["MINE", "ANTHROPIC_API_KEY"]
    assert isinstance(opened("anthropic/m"), AnthropicModel)
    assert opened("anthropic/m") is opened("anthropic/m")


def test_claude_is_asked_on_vertex_where_its_name_stands_behind_vertex():
    """With Google's credentials in place of a key."""
    cloud = cloud_of(Settings(project="demo", vertex_location="eu"))
    opened = models_of(a_network(main=ON_VERTEX), Noted(), cloud)
    assert isinstance(opened("vertex/claude-opus-4-5@20251101"), VertexClaude)
    assert isinstance(opened(ON_VERTEX), VertexModel)


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("global", "aiplatform.googleapis.com"),
        ("eu", "aiplatform.eu.rep.googleapis.com"),
        ("us", "aiplatform.us.rep.googleapis.com"),
        ("europe-west4", "europe-west4-aiplatform.googleapis.com"),
    ],
)
def test_a_location_has_its_address(location, host):
    """Multi-regions have their own form."""
    cloud = cloud_of(Settings(project="demo", vertex_location=location))
    model = models_of(a_network(main=ON_VERTEX), Noted(), cloud)(ON_VERTEX)
    assert repr(model) == f"VertexModel('gemini-3.8-flash', location={location!r}, host={host!r})"


def test_a_deployment_on_vertex_has_to_choose_a_location():
    """Before it starts; `global` promises no data residency, so that nobody gets it unasked."""
    settings = Settings(project="demo", network="x:y", on_cloud_run=True)
    with pytest.raises(ConfigurationError, match=r"location was chosen for vertex/gemini-3\.8-flash\. Set ENTRACTE_V"):
        deployed(a_network(main="scripted/x", allowed=[ON_VERTEX]), settings)


def test_on_ones_own_machine_the_location_is_global():
    """Nobody has to choose for a trial."""
    assert cloud_of(read_settings({})).location == "global"
    assert cloud_of(read_settings({"K_SERVICE": "plan"})).location == ""


def test_without_a_choice_the_default_is_gemini_on_vertex():
    """Documented in the guide."""
    assert Models().main == ON_VERTEX


@pytest.mark.parametrize(
    ("environ", "kind"),
    [
        ({}, "EnvironmentSecrets"),
        ({"K_SERVICE": "plan", "ENTRACTE_PROJECT": "demo"}, "SecretManagerSecrets"),
        ({"K_SERVICE": "plan", "ENTRACTE_SECRETS": "environment"}, "EnvironmentSecrets"),
    ],
)
def test_secrets_are_in_secret_manager_on_cloud_run(environ, kind):
    """Elsewhere in the environment, and where somebody says so."""
    assert type(secrets_of(read_settings(environ))).__name__ == kind


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ENTRACTE_VERTEX_LOCATION", "EU!", "expected eu, us, global or a region"),
        ("ENTRACTE_VERTEX_TRANSPORT", "http", "expected grpc or rest"),
        ("ENTRACTE_RETENTION_DAYS", "a month", "expected a whole number of days from 0 to 36500"),
        ("ENTRACTE_RETENTION_DAYS", "-1", "expected a whole number of days from 0 to 36500"),
        ("ENTRACTE_SECRETS", "vault", "expected secret-manager or environment"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name, value, words):
    """At the start."""
    with pytest.raises(ConfigurationError, match=words) as caught:
        read_settings({name: value})
    assert name in caught.value.message

"""Every embedding adapter against a service that speaks its real wire protocol (ports/embedder.py)."""

import time

import pytest

from entracte.adapters.models.openai.embedder import OpenAIEmbedder
from entracte.adapters.models.registry import open_embedder
from entracte.agents import Agent, Model, Models, Network
from entracte.errors import ConfigurationError, ModelRefused, ModelUnavailable
from entracte.runtime.models import cloud_of, embedder_of
from entracte.runtime.settings import Settings
from entracte.testing.model_server import Answer, ModelServer
from entracte.testing.wires.embedding_wires import OpenAIEmbeddings, VertexGrpcEmbeddings, VertexRestEmbeddings
from entracte.testing.wires.turn import Fails

WIRES = {"openai": OpenAIEmbeddings(), "vertex grpc": VertexGrpcEmbeddings(), "vertex rest": VertexRestEmbeddings()}
TEXTS = ["tea", "sea salt", "a"]


@pytest.fixture(params=WIRES)
def wire(request):
    """Each wire in turn."""
    return WIRES[request.param]


@pytest.fixture
def slept(monkeypatch):
    """Waits between tries, in seconds; nobody waits."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    return waits


def by_length(text):
    """A vector that tells which text it is of."""
    return [float(len(text)), 0.5]


def test_each_text_gets_its_vector_in_order(wire):
    """In as many requests as the service wants, and in whatever order it answers."""
    with wire.serve(by_length) as (embedder, _):
        assert embedder.embed(TEXTS, deadline_s=30) == [(3.0, 0.5), (8.0, 0.5), (1.0, 0.5)]


@pytest.mark.parametrize(("name", "requests"), [("openai", 2), ("vertex rest", 3), ("vertex grpc", 300)])
def test_many_texts_are_asked_in_as_many_requests_as_the_service_wants(name, requests):
    """Gemini's embedding models, which the last one is, take one text at a time."""
    texts = ["a" * (1 + n % 7) for n in range(300)]
    with WIRES[name].serve(by_length) as (embedder, asked):
        found = embedder.embed(texts, deadline_s=60)
    assert [vector[0] for vector in found] == [len(text) for text in texts]
    assert len(asked) == requests


def test_no_texts_are_no_question(wire):
    """Nothing is asked."""
    with wire.serve(by_length) as (embedder, asked):
        assert embedder.embed([], deadline_s=30) == []
    assert asked == []


def test_a_busy_service_is_asked_again_when_it_says(wire, slept):
    """As models are."""
    with wire.serve(by_length, Fails(status=429, retry_after_s=7), max_retries=3) as (embedder, _):
        assert embedder.embed(["tea"], deadline_s=30) == [(3.0, 0.5)]
    [waited] = slept
    assert 7 <= waited <= 7.5


@pytest.mark.parametrize(("status", "error"), [(500, ModelUnavailable), (404, ModelRefused), (400, ModelRefused)])
def test_a_service_that_fails_is_named(wire, status, error):
    """With its status."""
    with wire.serve(by_length, Fails(status=status)) as (embedder, _), pytest.raises(error, match=f"{status}"):
        embedder.embed(["tea"], deadline_s=30)


@pytest.mark.parametrize("embed", [lambda text: [], lambda text: [0.1] * len(text)], ids=["empty", "of two lengths"])
def test_what_is_no_vector_is_unavailable(wire, embed):
    """It must not get into a store, where it would never be found again."""
    with wire.serve(embed) as (embedder, _), pytest.raises(ModelUnavailable, match="no vector for each of 3 texts"):
        embedder.embed(TEXTS, deadline_s=30)


def test_an_answer_that_is_none_is_unavailable():
    """A gateway's error with status 200."""
    with OpenAIEmbeddings().serve(lambda text: "many") as (embedder, _), pytest.raises(ModelUnavailable):
        embedder.embed(["tea"], deadline_s=30)


def test_vectors_without_a_usable_number_are_taken_in_their_order():
    """Some servers say null, or number none."""
    rows = [{"index": None, "embedding": [1.0]}, {"embedding": [2.0]}]
    with ModelServer(Answer(body={"data": rows})) as server:
        assert OpenAIEmbedder("m-1", base_url=server.base_url).embed(["a", "b"], deadline_s=30) == [(1.0,), (2.0,)]


def test_a_network_without_an_embedding_model_has_no_embedder():
    """Who searches goes by words."""
    network = Network(entry=Agent(name="desk"), models=Models(main="scripted/x"))
    assert embedder_of(network, None, None) is None


def test_a_network_names_its_embedding_model_as_any_other():
    """With its options."""
    local = Model("openai/bge-m3", base_url="http://localhost:11434/v1")
    network = Network(entry=Agent(name="desk"), models=Models(main="scripted/x", embed=local))
    assert repr(embedder_of(network, None, None)) == "OpenAIEmbedder('bge-m3', host='localhost:11434')"
    network = network.using(models=Models(main="scripted/x", embed="vertex/gemini-embedding-001"))
    cloud = cloud_of(Settings(project="demo"))
    assert repr(embedder_of(network, None, cloud)) == (
        "VertexEmbedder('gemini-embedding-001', location='global', host='aiplatform.googleapis.com')"
    )


@pytest.mark.parametrize("name", ["anthropic/m", "scripted/m", "openai/", ""])
def test_what_has_no_embeddings_is_refused(name):
    """With the form of a name that has."""
    with pytest.raises(ConfigurationError, match="is no embedding model"):
        open_embedder(name)

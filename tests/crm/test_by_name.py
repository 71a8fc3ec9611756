"""The tool that finds the customer itself (tools/by_name.py), behind the trial's gate."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from crm import customers
from crm.database import dump, reading
from crm.deps import Crm
from crm.small import networks
from crm.workplace import with_model
from entracte.agents import Network
from entracte.errors import ToolError

MOVE = {"who": "ada@analytical-engines.example", "field": "email", "value": "ada@b.example"}
REPLIES = [{"calls": [{"tool": "change_customer", "args": MOVE}]}, {"answer": "Done."}]


@pytest.fixture
def clerk(settings: None, tmp_path: Path) -> Iterator[Network]:
    """The trial's clerk, who moves Ada to another address."""
    rules = [{"when": {"purpose": "plan", "step": n}, "reply": reply} for n, reply in enumerate(REPLIES, 1)]
    YAML().dump({"version": 1, "replies": rules}, tmp_path / "script.yaml")
    network = with_model(networks(light=True)["updates"], f"scripted/{tmp_path / 'script.yaml'}", "", "")
    yield network
    network.close()


@pytest.mark.parametrize("who", ["Ada Lovelace", "ADA lovelace", "ada@analytical-engines.example", "customer 17", 17])
def test_a_customer_is_named_as_people_name_one(crm: Crm, who: int | str):
    """By name, address or number."""
    with reading(crm.database) as connection:
        assert customers.the_one(connection, who).id == 17


@pytest.mark.parametrize(
    ("who", "told"),
    [
        ("Alan Turing", "2 customers fit 'Alan Turing': 108 Alan Turing, .*Give the number of the one meant"),
        ("Ada Lovelace Pro", "No customer is 'Ada Lovelace Pro'. .*Try \"ada lovelace\" .*Give a name"),
        (501, "Customer 501 was not found"),
        ("", "no word to look for"),
    ],
)
def test_a_customer_is_never_guessed(crm: Crm, who: int | str, told: str):
    """Nobody, or more than one: it is said what would name the one who is meant."""
    with pytest.raises(ToolError, match=told), reading(crm.database) as connection:
        customers.the_one(connection, who)


def test_a_person_agrees_to_the_record_and_not_to_the_words(clerk: Network, crm: Crm):
    """The words find nobody once the change has been made; the number still does, for undo too."""
    before = dump(crm.database)
    run = clerk.run("Ada has a new address: ada@b.example.")
    (gate,) = run.gates
    assert (gate["question"], gate["arguments"]) == ("Change customer 17?", MOVE | {"who": 17})
    clerk.decide(gate["id"], "approve")
    assert clerk.wait(run.id).text == "Done."
    (made,) = [event["data"]["result"] for event in clerk.events(run.id) if event["type"] == "tool.result"]
    changed = "email: ada@analytical-engines.example → ada@b.example"
    assert made == {"id": 17, "name": "Ada Lovelace", "changed": changed}
    assert "ada@b.example" in dump(crm.database)
    assert clerk.undo(run.id).status == "undone"
    assert dump(crm.database) == before

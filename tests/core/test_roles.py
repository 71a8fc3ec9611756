"""Which model is asked (asking/roles.py)."""

import pytest

from entracte.core.asking.roles import allowed_models, model_for, models_from
from entracte.core.blueprint import AgentSpec, Roles
from tests.core.builders import a_blueprint

OWN = AgentSpec(name="own", prompt="x", model="a/own", planning_model="a/own-planning", agents=("plain",))
PLAIN = AgentSpec(name="plain", prompt="x")


@pytest.mark.parametrize(
    ("role", "filled", "expected"),
    [
        ("main", {}, "a/main"),
        ("planning", {}, "a/main"),
        ("planning", {"planning": "a/p"}, "a/p"),
        ("light", {"planning": "a/p"}, "a/main"),
        ("judge", {}, "a/main"),
        ("judge", {"light": "a/l"}, "a/l"),
        ("judge", {"light": "a/l", "judge": "a/j"}, "a/j"),
        ("edit", {"light": "a/l"}, "a/main"),
        ("embed", {}, ""),
        ("embed", {"embed": "a/e"}, "a/e"),
    ],
)
def test_an_empty_role_is_filled_by_the_one_it_falls_back_to(role, filled, expected):
    """But nobody stands in for a model that makes vectors."""
    assert model_for(role, a_blueprint(PLAIN, roles=Roles(main="a/main", **filled)), PLAIN, {}) == expected


@pytest.mark.parametrize(
    ("agent", "role", "chosen", "expected"),
    [
        (PLAIN, "main", {}, "a/main"),
        (OWN, "main", {}, "a/own"),
        (OWN, "planning", {}, "a/own-planning"),
        (OWN, "main", {"main": "a/chosen"}, "a/chosen"),
        (OWN, "planning", {"main": "a/chosen"}, "a/own-planning"),
        (PLAIN, "planning", {"main": "a/chosen"}, "a/chosen"),
        (None, "light", {"light": "a/chosen"}, "a/chosen"),
        (OWN, "edit", {}, "a/own"),
    ],
)
def test_the_callers_choice_goes_before_the_agents_and_that_before_the_networks(agent, role, chosen, expected):
    """Each for its own role."""
    assert model_for(role, a_blueprint(PLAIN, OWN, roles=Roles(main="a/main")), agent, chosen) == expected


def test_a_run_may_name_what_the_network_names_and_what_it_allows():
    """And nothing else."""
    blueprint = a_blueprint(PLAIN, OWN, roles=Roles(main="a/main", allowed=("a/more",)))
    assert allowed_models(blueprint) == {"a/main", "a/own", "a/own-planning", "a/more"}


def test_the_models_of_a_run_are_those_of_the_agents_that_it_can_reach():
    """Circles do no harm."""
    back = AgentSpec(name="back", prompt="x", agents=("back", "own"))
    blueprint = a_blueprint(PLAIN, OWN, back, roles=Roles(main="a/main"))
    assert models_from("plain", blueprint, {}) == {"a/main"}
    assert models_from("back", blueprint, {}) == {"a/main", "a/own", "a/own-planning"}
    assert models_from("gone", blueprint, {}) == frozenset()

"""The models that a run may name, and whether its limit of cost can be kept with them."""

from __future__ import annotations

from datetime import date
from typing import get_args

from entracte.core.asking.roles import Role, allowed_models, model_for, models_from
from entracte.core.blueprint import Blueprint
from entracte.core.pricing import Prices
from entracte.core.runs.starting import RunRequest, is_cost_bound
from entracte.errors import InvalidInput


def check_models(blueprint: Blueprint, request: RunRequest, prices: Prices, today: date) -> None:
    """Only what the network allows, and under a limit of cost only what has a price.

    Raises:
        InvalidInput: Names the model.
    """
    known, roles = allowed_models(blueprint), get_args(Role)
    for role, model in request.models.items():
        if role not in roles or model not in known:
            raise InvalidInput(
                f"The network does not allow {model[:80]!r} as {role[:80]!r} model.",
                remedy=f"Models: {', '.join(sorted(known))}; roles: {', '.join(roles)}.",
                pointer=f"/models/{role[:80]}",
            )
    if not is_cost_bound(blueprint, request):
        return
    asked = _may_ask(blueprint, request)
    if unpriced := sorted(model for model in asked if prices.of(model, today) is None):
        raise InvalidInput(
            f"The run has a limit of cost, and the price of {', '.join(unpriced)} is not known.",
            remedy="Name it in a price table (ENTRACTE_PRICES), choose another model, or set no cost_micro_usd.",
            pointer="/budget/cost_micro_usd",
            code="unpriced_model",
        )


def _may_ask(blueprint: Blueprint, request: RunRequest) -> frozenset[str]:
    """Every model that the run may ask, whichever way its message is sorted."""
    router = blueprint.router
    if router is None or request.agent:
        return models_from(request.agent or blueprint.entry, blueprint, request.models)
    routes = [route for name, route in router.routes.items() if request.route in ("", name)]
    sorting = [] if request.route else [model_for("light", blueprint, None, request.models)]
    starts = {route.agent for route in routes} | ({router.default_agent(blueprint.entry)} if sorting else set())
    return frozenset(sorting).union(*(models_from(agent, blueprint, request.models) for agent in starts))

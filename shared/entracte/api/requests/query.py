"""Query parameters that a route does not have: a mistyped one must not be passed over in silence."""

from __future__ import annotations

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from entracte.errors import InvalidInput

ANY_NAME = ".NAME"
"""Ends a parameter that stands for many: ``metadata.NAME`` is any label."""


async def refuse_unknown(request: Request) -> None:
    """A dependency that refuses what the request's route, or what it depends on, does not read.

    Raises:
        InvalidInput: It names the parameter, and those that there are.
    """
    route = request.scope["route"]
    assert isinstance(route, APIRoute)
    known = sorted(_names(route.dependant))
    for name in request.query_params:
        family = f"{name.partition('.')[0]}{ANY_NAME}"
        if name not in known and not ("." in name and family in known):
            raise InvalidInput(
                f"There is no query parameter {name[:80]!r} here.",
                remedy=f"Parameters: {', '.join(known)}." if known else "This route has none.",
            )


def _names(dependant: Dependant) -> set[str]:
    """Query parameters of a route and of what it depends on."""
    return {field.alias for field in dependant.query_params}.union(*map(_names, dependant.dependencies))

"""The API's description of itself, as OpenAPI."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from entracte.api.problems import Problem
from entracte.api.requests.bodies import BODIES


def describe(app: FastAPI) -> None:
    """Serve an OpenAPI description that knows the problems and the bodies."""

    def openapi() -> dict[str, Any]:
        from entracte.api.answers.components import COMPONENTS  # models take long to build, and only this needs them

        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            components: dict[str, Any] = schema.setdefault("components", {}).setdefault("schemas", {})
            models: tuple[type[BaseModel], ...] = (Problem, *BODIES, *COMPONENTS)
            for model in models:
                own = model.model_json_schema(ref_template="#/components/schemas/{model}")
                components |= own.pop("$defs", {}) | {model.__name__: own}
            schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            schema["security"] = [{"token": []}]
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend the description

"""A typed function becomes a tool (agents/tool.py, adapters/python/function.py)."""

import functools
import threading
import warnings
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from entracte.agents import ToolContext, ToolSpec, tool
from entracte.errors import ConfigurationError


class Tier(StrEnum):
    FREE = "free"
    PRO = "pro"


class Filter(BaseModel):
    tier: Tier


def test_signature_and_docstring_say_everything_about_a_tool():
    """Descriptions, enums, defaults; nothing that would tell a model nothing."""

    @tool(effect="readonly", evaluation="At least one hit.", timeout_s=5, idempotent=True, persist=True)
    def search(
        q: Annotated[str, Field(description="Words to look for", min_length=1)],
        ctx: ToolContext[None],
        kind: Literal["all", "new"] = "all",
        filter: Filter | None = None,
        *,
        limit: int = 10,
    ) -> list[str]:
        """Search for customers.

        Broaden the query when there are no hits.
        Never more than three times.
        """
        return []

    assert search.spec == ToolSpec(
        name="search",
        summary="Search for customers.",
        instruction="Broaden the query when there are no hits.\nNever more than three times.",
        parameters={
            "$defs": {
                "Filter": {
                    "type": "object",
                    "properties": {"tier": {"$ref": "#/$defs/Tier"}},
                    "required": ["tier"],
                },
                "Tier": {"type": "string", "enum": ["free", "pro"]},
            },
            "type": "object",
            "properties": {
                "q": {"type": "string", "description": "Words to look for", "minLength": 1},
                "kind": {"type": "string", "enum": ["all", "new"], "default": "all"},
                "filter": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}], "default": None},
                "limit": {"type": "integer", "default": 10},
            },
            "required": ["q"],
            "additionalProperties": False,
        },
        effect="readonly",
        evaluation="At least one hit.",
        timeout_s=5,
        idempotent=True,
        persist="project_data",
    )


def test_a_bare_tool_counts_as_one_that_may_change_something():
    """Whoever says nothing is not believed to be harmless."""

    @tool
    def touch() -> None:
        """Touch it."""

    assert (touch.spec.effect, touch.spec.idempotent, touch.spec.parameters) == (
        "changing",
        False,
        {"type": "object", "properties": {}, "additionalProperties": False},
    )


@pytest.mark.parametrize(
    "name", "schema json copy dict validate construct model_config model_dump model_name self field fields".split()
)
def test_a_parameter_may_have_any_name(name):
    """Names of the library underneath are none of an author's business."""
    namespace: dict[str, Any] = {}
    exec(f"def act({name}: int = 1) -> int:\n    'Act.'\n    return {name}", namespace)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        act = tool(namespace["act"])
    assert act.spec.parameters["properties"] == {name: {"type": "integer", "default": 1}}
    assert act.function.check({name: "2"}) == ({name: 2}, "")
    assert act.function.run({name: 2}, None) == 2
    assert act.function.run({}, None) == 1
    assert act.function.check({name: "x"})[1].startswith(f"/{name}: Input should be a valid integer")


def test_a_method_may_be_a_tool():
    """Bound to its object."""

    class Desk:
        def look(self, at: str) -> str:
            """Look."""
            return f"saw {at}"

    assert tool(Desk().look).function.run({"at": "sea"}, None) == "saw sea"


class Unknown:
    pass


def positional(a, /):
    """Do."""


def many(*names):
    """Do."""


def keywords(**options):
    """Do."""


def hidden(_name: str):
    """Do."""


def unresolved(a: "Nowhere"):  # noqa: F821
    """Do."""


def broken(a: "list["):  # noqa: F722
    """Do."""


def odd(a: Unknown):
    """Do."""


def call_me(when: int, then: Callable[[], int]):
    """Do."""


def lock(a: threading.Event):
    """Do."""


def silent():  # noqa: D103
    pass


OTHERWISE = "Annotate it with JSON types, enums, dataclasses or pydantic models."

FAULTS = {
    positional: "Tool 'positional': parameter 'a' cannot be given by name. Write it as a plain parameter.",
    many: "Tool 'many': parameter 'names' cannot be given by name. Write it as a plain parameter.",
    keywords: "Tool 'keywords': parameter 'options' cannot be given by name. Write it as a plain parameter.",
    hidden: "Tool 'hidden': parameter '_name' begins with an underscore. Rename it.",
    unresolved: "Tool 'unresolved': an annotation does not resolve: name 'Nowhere' is not defined. "
    "Define the type at module level.",
    broken: "Tool 'broken': an annotation does not resolve: Forward reference must be an expression -- got 'list['. "
    "Define the type at module level.",
    odd: "Tool 'odd': parameter 'a' has a type without a JSON form. " + OTHERWISE,
    call_me: "Tool 'call_me': parameter 'then' has a type without a JSON form. " + OTHERWISE,
    lock: "Tool 'lock': parameter 'a' has a type without a JSON form. " + OTHERWISE,
    silent: "Tool 'silent' has no docstring. Its first line tells the model what it does.",
}


@pytest.mark.parametrize("function", FAULTS, ids=lambda function: function.__name__)
def test_what_is_wrong_with_a_function_is_said(function):
    """When the module is imported, not when the tool is first called."""
    with pytest.raises(ConfigurationError) as caught:
        tool(function)
    assert str(caught.value) == FAULTS[function]


@pytest.mark.parametrize("thing", [functools.partial(silent), 7])
def test_what_is_no_function_cannot_be_a_tool(thing):
    """It has no signature and no docstring of its own."""
    with pytest.raises(ConfigurationError, match="is not a module, class, method, or function"):
        tool(thing)


def test_an_effect_is_one_of_two():
    """A typing slip must not turn a change into something harmless."""
    with pytest.raises(ConfigurationError) as caught:
        tool(effect="read-only")(silent)
    assert str(caught.value) == "Tool 'silent': effect is 'read-only'. Write 'readonly', or leave it out."


@pytest.mark.parametrize("timeout_s", [0, -1])
def test_a_call_needs_time(timeout_s):
    """Or it would always be too late."""
    with pytest.raises(ConfigurationError) as caught:
        tool(timeout_s=timeout_s)(silent)
    assert str(caught.value) == f"Tool 'silent': timeout_s is {timeout_s}; it must be more than 0 seconds."

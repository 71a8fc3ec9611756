"""Rules about the arguments of calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.hooks import Hook
from entracte.core.calls import Call
from entracte.errors import Blocked, ConfigurationError
from entracte.harness.tool_patterns import checked, matches


class ArgumentRule(Struct, frozen=True, kw_only=True):
    """What the calls of some tools may be asked with.

    Arguments are named by path: ``to``, ``filter.country``, ``items.price``, which is that of every item of a list.
    What is not given breaks no rule. Patterns are regular expressions; values that are no text are taken as JSON.

    Attributes:
        match: Tools, such as ``crm.*``.
        allow: By path, what the whole value must fit.
        deny: By path, what must be found nowhere in it.
        at_most: By path, the largest number. A text there is refused: it could be any number.

    Raises:
        ConfigurationError: A pattern that is none.
    """

    match: str
    allow: Mapping[str, str] = {}
    deny: Mapping[str, str] = {}
    at_most: Mapping[str, float] = {}

    def __post_init__(self) -> None:
        checked((self.match,), "An ArgumentRule")
        for pattern in (*self.allow.values(), *self.deny.values()):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ConfigurationError(f"{pattern!r} is no regular expression: {error}.") from None

    def broken_by(self, arguments: Mapping[str, Any]) -> str:
        """Which rule the arguments break, in words that do not repeat them; empty for none."""
        for path, pattern in self.allow.items():
            if any(not re.fullmatch(pattern, _text(value), re.DOTALL) for value in _at(arguments, path)):
                return f"{path} must fit {pattern}"
        for path, pattern in self.deny.items():
            if any(re.search(pattern, _text(value)) for value in _at(arguments, path)):
                return f"{path} must not hold {pattern}"
        for path, limit in self.at_most.items():
            if any(not _is_number(value) or value > limit for value in _at(arguments, path)):
                return f"{path} must be a number of at most {limit:g}"
        return ""


class ArgumentRules(Hook):
    """Blocks calls whose arguments break a rule. The agent is told which, and plans around it.

    Rules hold for the arguments as the model wrote them, so put this behind hooks that change them.
    """

    def __init__(self, *rules: ArgumentRule) -> None:
        self._rules = rules

    def before_tool(self, call: Call, ctx: ToolContext[Any]) -> Call:
        for rule in self._rules:
            if matches(call.tool, (rule.match,)) and (broken := rule.broken_by(call.arguments)):
                raise Blocked(f"{call.tool} may not be called with this: {broken}.")
        return call


def _at(value: Any, path: str) -> Iterator[Any]:
    """Every value at a path. What lies in a list is looked at item by item; the path's end gives items, too."""
    match value:
        case list():
            for item in value:
                yield from _at(item, path)
        case dict() if path:
            name, _, rest = path.partition(".")
            if name in value:
                yield from _at(value[name], rest)
        case _ if not path:
            yield value
        case _:
            return


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)

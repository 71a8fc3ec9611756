"""What a call's arguments would replace, as far as a snapshot tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.core.policy.rule import Rule
from entracte.core.template import Template
from entracte.errors import InvalidInput


def prior_values(rule: Rule, tool: str, arguments: Mapping[str, Any], snapshot: Any) -> dict[str, Any]:
    """Prior value by argument.

    An inverse that calls the same tool says it best: its arguments are what would put things back. Else an argument
    replaces the field of its name.
    """
    if rule.inverse is None or rule.inverse.tool != tool:
        return {name: snapshot[name] for name in arguments if isinstance(snapshot, dict) and name in snapshot}
    known = {"$": dict(arguments), "$snapshot": snapshot}
    prior = {}
    for name in arguments.keys() & rule.inverse.args.node.keys():
        try:
            prior[name] = Template(rule.inverse.args.node[name]).resolve(known)
        except InvalidInput:
            continue
    return prior

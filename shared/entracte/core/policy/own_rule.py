"""The rule that a tool itself brings along, written as a manifest would write it, without ``match``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.core.policy.faults import Problem
from entracte.core.policy.rule import Rule
from entracte.core.policy.text.coherence import incoherences
from entracte.core.policy.text.fitting import fit
from entracte.core.policy.text.rule_of import rule_of
from entracte.core.policy.text.template_faults import template_faults
from entracte.errors import ConfigurationError


def read_own_rule(tool: str, written: Mapping[str, Any]) -> Rule:
    """Read a tool's own rule, such as ``{"class": "irreversible", "question": "Send it?"}``.

    Raises:
        ConfigurationError: It cannot be understood; names every fault.
    """
    value = {"version": 1, "tools": [{"match": tool, **written}]}
    fitted = fit(value, value)
    problems = (
        *fitted.problems,
        *incoherences(fitted.shape, fitted.bad),
        *template_faults(fitted.shape, fitted.bad),
    )
    if problems:
        raise ConfigurationError("\n".join(own_fault(tool, problem) for problem in problems))
    return rule_of(fitted.shape.tools[0], ())


def own_fault(tool: str, problem: Problem) -> str:
    """A problem of a tool's own rule in one line."""
    what = problem.what.replace("tools[0].", "").replace("tools[0]", "the rule")
    return f"Tool {tool!r}: its own rule: {what}, expected {problem.expected}, found {problem.found}"

"""Rules against the tools that there are: what names nothing, and what cannot fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from entracte.core.policy.argument_schema import ArgumentSchema
from entracte.core.policy.faults import Fault, Path, Problem, label, shown
from entracte.core.policy.manifest import Manifest
from entracte.core.policy.matching import matches, split_name
from entracte.core.policy.own_rule import own_fault
from entracte.core.policy.policy import Policy
from entracte.core.policy.rule import CallRule, Rule
from entracte.core.reference import Reference
from entracte.core.template import Template
from entracte.core.tool_spec import ToolSpec
from entracte.core.validation import faults as value_faults


class Findings(NamedTuple):
    """What is wrong, and what looks wrong, in the order of the file."""

    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]


Results = Callable[[str], Mapping[str, Any]]
"""JSON Schema of what a tool gives; an empty one allows everything."""


def _unknown(tool: str) -> Mapping[str, Any]:
    return {}


def check_against(
    manifest: Manifest,
    tools: Mapping[str, ToolSpec],
    *,
    unasked: Collection[str] = (),
    results: Results = _unknown,
) -> Findings:
    """Check names, template arguments, and what templates take from results.

    Args:
        tools: All tools by full name, of servers too.
        unasked: Servers whose tools are not among them, since nobody asked; their names are not checked.
    """
    check = _Check(Policy(manifest), tools, frozenset(unasked), results)
    faults = [problem for rule in manifest.rules for problem in check.faults(rule)]
    warnings = [problem for rule in manifest.rules for problem in check.warnings(rule)]
    return Findings(
        tuple(sorted({manifest.source.fault(problem) for problem in faults})),
        tuple(sorted({manifest.source.fault(problem) for problem in warnings})),
    )


def check_own_rules(policy: Policy, tools: Mapping[str, ToolSpec], results: Results) -> tuple[str, ...]:
    """Check the rules that tools bring along, as far as they count. Gives a line for each fault."""
    check = _Check(policy, tools, frozenset(), results)
    own = ((name, tool.rule) for name, tool in tools.items() if tool.rule is not None)
    counting = ((name, rule) for name, rule in own if policy.declared_rule(tools[name]).path == ())
    return tuple(own_fault(name, problem) for name, rule in counting for problem in check.faults(rule))


class _Check:
    """The tools, and the questions asked of each rule."""

    def __init__(
        self, policy: Policy, tools: Mapping[str, ToolSpec], unasked: frozenset[str], results: Results
    ) -> None:
        self._results = results
        self._policy = policy
        self._tools = tools
        self._unasked = unasked

    def faults(self, rule: Rule) -> Iterator[Problem]:
        if rule.snapshot is not None:
            yield from self._call_faults(rule, rule.snapshot, "snapshot")
            yield from self._readonly_faults(rule.snapshot, rule.path)
        if rule.inverse is not None:
            yield from self._call_faults(rule, rule.inverse, "inverse")
        if rule.question is not None:
            yield from self._reference_faults(rule, rule.question, (*rule.path, "question"))

    def warnings(self, rule: Rule) -> Iterator[Problem]:
        path: Path = (*rule.path, "match")
        if not self._is_unasked(rule.match) and not any(matches(rule.match, name) for name in self._tools):
            what = f"{label(path)}: matches no tool"
            yield Problem(path=path, what=what, expected=self._known(), found=shown(rule.match))
        for name, call in (("snapshot", rule.snapshot), ("inverse", rule.inverse)):
            if call is not None:
                yield from self._optional(rule, call, (*rule.path, name, "args"))

    def _call_faults(self, rule: Rule, call: CallRule, name: str) -> Iterator[Problem]:
        path: Path = (*rule.path, name)
        if call.tool in self._tools:
            yield from _argument_faults(self._tools[call.tool], call.args, (*path, "args"))
        elif not self._is_unasked(call.tool):
            at: Path = (*path, "tool")
            yield Problem(path=at, what=f"{label(at)}: no such tool", expected=self._known(), found=shown(call.tool))
        yield from self._reference_faults(rule, call.args, (*path, "args"))

    def _readonly_faults(self, snapshot: CallRule, path: Path) -> Iterator[Problem]:
        tool = self._tools.get(snapshot.tool)
        if tool is None and not self._is_unasked(snapshot.tool):
            return  # a fault already
        spec = tool if tool is not None else ToolSpec(name=snapshot.tool, summary="", parameters={})
        found = self._policy.declared_rule(spec).tool_class
        if found != "readonly":
            at: Path = (*path, "snapshot", "tool")
            what = f"{label(at)}: {snapshot.tool} is not readonly by this policy"
            yield Problem(path=at, what=what, expected="a readonly tool", found=found)

    def _reference_faults(self, rule: Rule, template: Template, path: Path) -> Iterator[Problem]:
        """References to arguments that a tool under this rule does not have."""
        for tool in self._governed(rule):
            schema = ArgumentSchema(tool.parameters)
            for at, reference in _references(template, path):
                if reference.root == "$" and not schema.has(reference.steps):
                    what = f"{label(at)}: {tool.name} has no such argument"
                    expected = f"one of {_listed(schema.properties)}"
                    yield Problem(path=at, what=what, expected=expected, found=shown(reference.text))
        yield from self._result_faults(rule, template, path)

    def _result_faults(self, rule: Rule, template: Template, path: Path) -> Iterator[Problem]:
        """References to parts of a result, or of a snapshot, that the tool never gives."""
        reader = [rule.snapshot.tool] if rule.snapshot is not None else []
        givers = {"$snapshot": reader, "$result": [tool.name for tool in self._governed(rule)]}
        for at, reference in _references(template, path):
            for giver in givers.get(reference.root, ()):
                if not ArgumentSchema(self._results(giver)).allows(reference.steps):
                    what = f"{label(at)}: {giver} gives no such value"
                    expected = "a path into its declared result"
                    yield Problem(path=at, what=what, expected=expected, found=shown(reference.text))

    def _optional(self, rule: Rule, call: CallRule, path: Path) -> Iterator[Problem]:
        for tool in self._governed(rule):
            schema = ArgumentSchema(tool.parameters)
            for at, reference in _references(call.args, path):
                first = reference.steps[0] if reference.root == "$" and reference.steps else None
                if first in schema.properties and first not in schema.required:
                    what = f"{label(at)}: calls of {tool.name} that leave {first} out will be held"
                    yield Problem(path=at, what=what, expected="a required argument", found=shown(reference.text))

    def _governed(self, rule: Rule) -> list[ToolSpec]:
        """Tools for which this rule is the one that counts."""
        return [tool for tool in self._tools.values() if self._policy.declared_rule(tool) is rule]

    def _is_unasked(self, name: str) -> bool:
        return any(matches(split_name(name)[0], server) for server in self._unasked)

    def _known(self) -> str:
        return f"one of {_listed(self._tools)}"


def _argument_faults(tool: ToolSpec, args: Template, path: Path) -> Iterator[Problem]:
    """Arguments that the tool does not take, lacks, or would refuse."""
    schema = ArgumentSchema(tool.parameters)
    given: Mapping[str, Any] = args.node
    for name, node in given.items():
        at: Path = (*path, name.replace("$", "$$"))
        if name not in schema.properties:
            if not schema.is_open:
                what = f"{label(at)}: {tool.name} takes no such argument"
                expected = f"one of {_listed(schema.properties)}"
                yield Problem(path=at, what=what, expected=expected, found=shown(name), at_key=True)
        elif not Template(node).references:
            yield from _literal_faults(node, schema.of(name), at)
    for name in sorted(schema.required - set(given)):
        what = f"{label(path)}: {tool.name} needs {name}"
        yield Problem(path=path, what=what, expected=name, found=_listed(given))


def _literal_faults(value: Any, schema: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    try:
        found = value_faults(value, schema)
    except Exception:  # noqa: BLE001  # the schema of a foreign server may be broken in any way; the call will tell
        return
    for pointer, words in found:
        yield Problem(path=at, what=f"{label(at)}{pointer}", expected="a value that the tool takes", found=words)


def _references(template: Template, path: Path) -> Iterator[tuple[Path, Reference]]:
    """All references in a template, each at the argument it stands in."""
    if isinstance(template.node, dict):
        for name, node in template.node.items():
            for reference in Template(node).references:
                yield (*path, name.replace("$", "$$")), reference
    else:
        for reference in template.references:
            yield path, reference


def _listed(names: Collection[str]) -> str:
    shortened = sorted(names)[:30]
    return ", ".join(shortened) + (", …" if len(names) > len(shortened) else "") or "none"

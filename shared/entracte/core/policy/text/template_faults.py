"""Templates in a manifest: parsed when it is read, so that a malformed one stops the start and not the undo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from entracte.core.policy.faults import Path, Problem, label, shown
from entracte.core.policy.source import texts
from entracte.core.policy.text.shapes import ManifestShape, RuleShape
from entracte.core.policy.text.variables import variables_in
from entracte.core.template import Template
from entracte.errors import ConfigurationError

ROOTS = ("$", "$snapshot", "$result")

_NOT_YET = "what is known before the call, which are $ and $snapshot"


def template_faults(shape: ManifestShape, bad: frozenset[Path]) -> Iterator[Problem]:
    """Malformed references, and references to what is not known where they stand."""
    for index, rule in enumerate(shape.tools):
        yield from _rule_faults(rule, ("tools", index), bad)


def _rule_faults(rule: RuleShape, at: Path, bad: frozenset[Path]) -> Iterator[Problem]:
    if rule.snapshot is not None:
        unknown = dict.fromkeys(("$snapshot", "$result"), "what is known before the call, which is $")
        yield from _faults(rule.snapshot.args, (*at, "snapshot", "args"), unknown)
    has_snapshot = rule.snapshot is not None or (*at, "snapshot") in bad
    unread = {} if has_snapshot else {"$snapshot": "a snapshot in this rule, for $snapshot to refer to"}
    if rule.inverse is not None:
        yield from _faults(rule.inverse.args, (*at, "inverse", "args"), unread)
    if rule.question is not None:
        yield from _faults(rule.question, (*at, "question"), unread | {"$result": _NOT_YET})


def _faults(value: Any, path: Path, unknown: Mapping[str, str]) -> Iterator[Problem]:
    faulty = False
    for place, template, at_key in [*_keys(value, path), *((place, text, False) for place, text in texts(value, path))]:
        for what, expected in _text_faults(template, unknown):
            faulty = True
            found = shown(template) if isinstance(template, str) else shown(next(iter(template)))
            yield Problem(path=place, what=f"{label(place)}: {what}", expected=expected, found=found, at_key=at_key)
    if not faulty:
        try:
            Template.parse(value, ROOTS)
        except ConfigurationError as error:  # numbers that JSON does not have
            what = f"{label(path)}: {error.message.rstrip('.')}"
            yield Problem(path=path, what=what, expected="JSON values", found=error.pointer or "another")


def _keys(value: Any, path: Path) -> Iterator[tuple[Path, Any, bool]]:
    """Keys, each as a mapping of its own: only a mapping's keys are parsed as keys."""
    match value:
        case dict():
            for key, item in value.items():
                yield (*path, key), {key: None}, True
                yield from _keys(item, (*path, key))
        case list():
            for index, item in enumerate(value):
                yield from _keys(item, (*path, index))
        case _:
            pass


def _text_faults(template: Any, unknown: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What is wrong with one text, and what was expected."""
    if isinstance(template, str) and variables_in(template):
        yield "a variable", "a reference such as $.id; variables are for servers and approvers, and $$ is a dollar sign"
        return
    try:
        references = Template.parse(template, ROOTS).references
    except ConfigurationError as error:
        reason = error.message.partition(": ")[2].rstrip(".")
        yield f"a malformed template: {reason}", "a reference such as $.id, or $$ for a dollar sign"
        return
    for root in sorted({reference.root for reference in references} & set(unknown)):
        yield f"{root} is not known here", unknown[root]

"""What the keys of a rule, or of a server, ask of each other.

Every check names the paths it reads below its rule. It runs only where none of them is faulty by itself, so that no
fault is reported twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from entracte.core.policy.faults import Path, Problem, label, shown
from entracte.core.policy.text.shapes import ManifestShape, RuleShape, ServerShape
from entracte.core.policy.text.variables import variables_in
from entracte.core.template import Template
from entracte.errors import ConfigurationError

# (path below the rule, what, expected, found)
_Found = tuple[Path, str, str, str]


def incoherences(shape: ManifestShape, bad: frozenset[Path]) -> Iterator[Problem]:
    """Everything in rules and servers that contradicts itself.

    Args:
        bad: Paths that hold a stand-in, or nothing, instead of what was written.
    """
    for name, server in shape.servers.items():
        yield from _problems(("servers", name), server, _SERVER_CHECKS, bad)
    for index, rule in enumerate(shape.tools):
        if ("tools", index) not in bad:
            yield from _problems(("tools", index), rule, _RULE_CHECKS, bad)
    yield from _duplicates(shape, bad)


def _problems(
    at: Path, shape: Any, checks: Mapping[Callable[[Any], Iterator[_Found]], tuple[Path, ...]], bad: frozenset[Path]
) -> Iterator[Problem]:
    for check, reads in checks.items():
        if not any(at + path in bad for path in reads):
            for path, what, expected, found in check(shape):
                yield Problem(path=at + path, what=f"{label(at + path)}: {what}", expected=expected, found=found)


def _duplicates(shape: ManifestShape, bad: frozenset[Path]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, rule in enumerate(shape.tools):
        path: Path = ("tools", index, "match")
        if path in bad or path[:2] in bad:
            continue
        if rule.match in first:
            found = f"{shown(rule.match)} in tools[{first[rule.match]}] too"
            yield Problem(path=path, what=f"{label(path)}: a duplicate", expected="each match once", found=found)
        first.setdefault(rule.match, index)


def _class_and_inverse(rule: RuleShape) -> Iterator[_Found]:
    match rule.class_:
        case "reversible" | "compensable" if rule.inverse is None:
            yield (), f"a {rule.class_} tool without inverse", "inverse: {tool: …, args: …}", "none"
        case "readonly" | "irreversible" if rule.inverse is not None:
            why = "changes nothing" if rule.class_ == "readonly" else "cannot be undone"
            expected = f"none, since a tool that is {rule.class_} {why}"
            yield ("inverse",), "an inverse", expected, f"one that calls {rule.inverse.tool}"


def _class_and_snapshot(rule: RuleShape) -> Iterator[_Found]:
    if rule.class_ == "readonly" and rule.snapshot is not None:
        expected = "none, since a tool that is readonly changes nothing"
        yield ("snapshot",), "a snapshot", expected, f"one that calls {rule.snapshot.tool}"


def _ignore(rule: RuleShape) -> Iterator[_Found]:
    for index, field in enumerate(rule.ignore):
        if not _is_path(field):
            yield ("ignore", index), "a malformed path", "a field such as updated_at or meta.etag", shown(field)
    for field, times in Counter(rule.ignore).items():
        if times > 1:
            yield ("ignore",), "a field twice", "each field once", shown(field)


def _ignore_and_snapshot(rule: RuleShape) -> Iterator[_Found]:
    if rule.ignore and rule.snapshot is None:
        yield ("ignore",), "fields to ignore", "a snapshot, without which drift is not looked for", "none"


def _merge(rule: RuleShape) -> Iterator[_Found]:
    if rule.merge is not None and (rule.snapshot is None or rule.inverse is None):
        lacking = "no snapshot" if rule.snapshot is None else "no inverse"
        yield ("merge",), "merging of fields", "a snapshot and an inverse, to tell what the call changed", lacking


def _approvers(rule: RuleShape) -> Iterator[_Found]:
    people = Counter(approver.lower() for approver in rule.approvers)
    for person, times in people.items():
        if times > 1:
            yield ("approvers",), "an approver twice", "each person once", shown(person)
    if people and rule.quorum > len(people):
        yield (
            ("quorum",),
            "more people than may approve",
            f"at most {len(people)}, the number of approvers",
            str(rule.quorum),
        )


def _expiry(rule: RuleShape) -> Iterator[_Found]:
    if rule.on_expiry is not None and rule.expires == "never":
        yield ("on_expiry",), "what comes of expiry", "expires: a duration such as 7d", "never"


def _absent_when(rule: RuleShape) -> Iterator[_Found]:
    for name, call in (("snapshot", rule.snapshot), ("inverse", rule.inverse)):
        if call is not None and call.absent_when is not None and variables_in(call.absent_when):
            expected = "text as the tool writes it; variables are for servers and approvers"
            yield (name, "absent_when"), "a variable", expected, shown(call.absent_when)


def _way(server: ServerShape) -> Iterator[_Found]:
    if server.command is None and server.url is None:
        yield (), "a server without command and url", "one of the two", "neither"
    elif server.command is not None and server.url is not None:
        yield (), "a server with command and url", "one of the two", "both"


def _way_and_options(server: ServerShape) -> Iterator[_Found]:
    if server.command is None and server.url is not None:
        for name in ("args", "env"):
            if getattr(server, name):
                yield (name,), "an option of a command", "headers, since the server is reached by its url", name
    if server.url is None and server.command is not None and server.headers:
        yield ("headers",), "an option of a url", "args or env, since the server is started by its command", "headers"


_RULE_CHECKS: dict[Callable[[Any], Iterator[_Found]], tuple[Path, ...]] = {
    _class_and_inverse: (("class",), ("inverse",)),
    _class_and_snapshot: (("class",), ("snapshot",)),
    _ignore: (("ignore",),),
    _ignore_and_snapshot: (("ignore",), ("snapshot",)),
    _merge: (("merge",), ("snapshot",), ("inverse",)),
    _approvers: (("approvers",), ("quorum",)),
    _expiry: (("expires",), ("on_expiry",)),
    _absent_when: (("snapshot",), ("inverse",)),
}
_SERVER_CHECKS: dict[Callable[[Any], Iterator[_Found]], tuple[Path, ...]] = {
    _way: (("command",), ("url",)),
    _way_and_options: (("command",), ("url",), ("args",), ("env",), ("headers",)),
}


def _is_path(field: str) -> bool:
    """Whether a text is what may follow ``$.`` in a template."""
    try:
        references = Template.parse(f"$.{field}", ("$",)).references
    except ConfigurationError:
        return False
    return [reference.text for reference in references] == [f"$.{field}"]

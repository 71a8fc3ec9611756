"""A manifest for one more server: written anew, or added to one that is there, whose comments stay."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from entracte.cli.manifests.finished import Finished, finished_policy
from entracte.core.policy.listing import says_readonly, served_tools
from entracte.core.policy.matching import best
from entracte.core.policy.reading import read_manifest

TODO = "TODO: can it be taken back, and by which tool?"
SAYS_SO = "the server says so"


class Draft(Struct, frozen=True):
    """A manifest's new text, and what is new in it.

    Attributes:
        finished: Name of the finished policy that it took over; empty for none.
        readonly, left: Tools for which a rule was written: those that say they change nothing, and those whose rule
            somebody has to write.
    """

    text: str
    finished: str
    readonly: tuple[str, ...]
    left: tuple[str, ...]


def draft(
    before: str | None,
    server: str,
    entry: Mapping[str, Any],
    tools: Sequence[Mapping[str, Any]],
    *,
    file: str,
    variables: Mapping[str, str],
) -> Draft:
    """Write a server and a rule for each of its tools into a manifest.

    Args:
        before: The manifest as it is; None when there is none. What it says already stays as it is.
        entry: The server as a manifest has it.
        tools: As the server lists them.
        file, variables: As for `read_manifest`.

    Raises:
        ManifestError: The manifest that is there cannot be understood.
    """
    rules = read_manifest(before, file=file, variables=variables).rules if before is not None else ()
    names = [spec.name for spec in served_tools({server: tools})]
    new = [name for name in names if best(rules, name) is None]
    hinted = {f"{server}.{tool.get('name')}" for tool in tools if says_readonly(tool)}
    finished = finished_policy([name.partition(".")[2] for name in names])
    covered = finished.manifest().rules if finished is not None and new == names else ()
    left = [n for n in new if best(covered, f"{finished.name}.{n.partition('.')[2]}" if finished else n) is None]
    taken = finished if covered else None
    readonly, todo = [n for n in left if n in hinted], [n for n in left if n not in hinted]
    make = _anew if before is None else _added
    text = make(before or "", server, entry, taken, readonly, todo)
    read_manifest(text, file=file, variables=variables)
    return Draft(text, taken.name if taken else "", tuple(readonly), tuple(todo))


def _anew(
    before: str, server: str, entry: Mapping[str, Any], finished: Finished | None, readonly: list[str], todo: list[str]
) -> str:
    header, rules = _parts(finished, server)
    head = [*header, *([] if header else [_ABOUT]), "version: 1", "servers:", f"  {server}:"]
    return "\n".join([*head, *_entry_lines(entry), "tools:", *rules, *_rule_lines(readonly, todo)]) + "\n"


_ABOUT = "# What the tools leave behind, and how it is taken back. `entracte check --manifest …` finds faults in it."


def _parts(finished: Finished | None, server: str) -> tuple[list[str], list[str]]:
    """Header and rules of a finished policy, as lines."""
    if finished is None:
        return [], []
    above, _, below = finished.named(server).partition("\nversion: 1\ntools:\n")
    return above.splitlines(), below.rstrip("\n").splitlines()


def _entry_lines(entry: Mapping[str, Any]) -> list[str]:
    return [f"    {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]


def _rule_lines(readonly: Sequence[str], todo: Sequence[str]) -> list[str]:
    known = [line for name in readonly for line in (f"  - match: {name}", f"    class: readonly # {SAYS_SO}")]
    return known + [line for name in todo for line in (f"  - match: {name}", f"    class: irreversible # {TODO}")]


def _added(
    before: str, server: str, entry: Mapping[str, Any], finished: Finished | None, readonly: list[str], todo: list[str]
) -> str:
    """Round trip: the file's own comments, quotes and blank lines stay where they are."""
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 10_000  # long lines are the author's
    yaml.indent(mapping=2, sequence=4, offset=2)
    manifest = yaml.load(before)
    servers = manifest.get("servers")
    if servers is None:
        place = list(manifest).index("tools") if "tools" in manifest else len(manifest)
        manifest.insert(place, "servers", {server: dict(entry)})
    else:
        servers.setdefault(server, {}).update(entry)
    header, rules = _parts(finished, server)
    lines = [*rules, *_rule_lines(readonly, todo)]
    if lines:
        added = yaml.load("\n".join(["tools:", *lines]) + "\n")["tools"]
        if header:
            added.yaml_set_start_comment("\n".join(line.removeprefix("#").removeprefix(" ") for line in header))
        rules_there = manifest.setdefault("tools", [])
        rules_there.extend(added)
    written = io.StringIO()
    yaml.dump(manifest, written)
    return written.getvalue()

"""From the text of ``policy.yaml`` to a manifest, or to all its faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.core.policy.coherence import incoherences
from entracte.core.policy.faults import ManifestError
from entracte.core.policy.fitting import fit
from entracte.core.policy.manifest import Manifest
from entracte.core.policy.rule import Gate, InverseRule, Rule, SnapshotRule
from entracte.core.policy.server import CommandServer, Server, UrlServer
from entracte.core.policy.shapes import CallShape, RuleShape, ServerShape
from entracte.core.policy.template_faults import ROOTS, template_faults
from entracte.core.policy.unfolding import read_source
from entracte.core.policy.variables import filled_in
from entracte.core.template import Template

_SECONDS = {"s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60}


def read_manifest(text: str, *, file: str, variables: Mapping[str, str]) -> Manifest:
    """Read a manifest.

    Args:
        file: Name that faults are reported under.
        variables: What ``${NAME}`` stands for.

    Raises:
        ManifestError: It cannot be understood; names every fault with its place.
    """
    source, faults = read_source(text, file)
    value, unset = filled_in(source.value, variables)
    fitted = fit(value, source.value)
    not_filled_in = {problem.path for problem in unset}
    problems = [
        *unset,
        *(problem for problem in fitted.problems if problem.path not in not_filled_in),
        *incoherences(fitted.shape, fitted.bad),
        *template_faults(fitted.shape, fitted.bad),
    ]
    if faults or problems:
        raise ManifestError([*faults, *(source.fault(problem) for problem in problems)])
    return Manifest(
        servers={name: _server(server) for name, server in fitted.shape.servers.items()},
        rules=tuple(_rule(rule, index) for index, rule in enumerate(fitted.shape.tools)),
        source=source,
    )


def _server(shape: ServerShape) -> Server:
    if shape.url is not None:
        return UrlServer(url=shape.url, headers=shape.headers)
    assert shape.command is not None
    return CommandServer(command=shape.command, args=tuple(shape.args), env=shape.env)


def _rule(shape: RuleShape, index: int) -> Rule:
    by_class: Gate = "always" if shape.class_ == "irreversible" else "never"
    return Rule(
        match=shape.match,
        tool_class=shape.class_,
        gate=shape.gate or by_class,
        snapshot=SnapshotRule(**_call(shape.snapshot)) if shape.snapshot is not None else None,
        inverse=InverseRule(**_call(shape.inverse)) if shape.inverse is not None else None,
        ignore=tuple(shape.ignore),
        merge_fields=shape.merge == "fields",
        idempotent=shape.idempotent,
        timeout_s=_seconds(shape.timeout) if shape.timeout is not None else None,
        approvers=tuple(approver.lower() for approver in shape.approvers),
        quorum=shape.quorum,
        four_eyes=shape.four_eyes,
        editable=shape.editable,
        expires_s=_seconds(shape.expires) if shape.expires != "never" else None,
        question=Template.parse(shape.question, ROOTS) if shape.question is not None else None,
        path=("tools", index),
    )


def _call(shape: CallShape) -> dict[str, Any]:
    return {
        "tool": shape.tool,
        "args": Template.parse(shape.args, ROOTS),
        "absent_when": shape.absent_when or "",
    }


def _seconds(duration: str) -> int:
    return int(duration[:-1]) * _SECONDS[duration[-1]]

"""From the text of ``policy.yaml`` to a manifest, or to all its faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.core.policy.faults import ManifestError
from entracte.core.policy.manifest import Manifest
from entracte.core.policy.server import CommandServer, Server, UrlServer
from entracte.core.policy.text.coherence import incoherences
from entracte.core.policy.text.fitting import fit
from entracte.core.policy.text.rule_of import rule_of
from entracte.core.policy.text.shapes import ServerShape
from entracte.core.policy.text.template_faults import template_faults
from entracte.core.policy.text.unfolding import read_source
from entracte.core.policy.text.variables import filled_in


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
        servers={name: _server(server, source.value["servers"][name]) for name, server in fitted.shape.servers.items()},
        rules=tuple(rule_of(rule, ("tools", index)) for index, rule in enumerate(fitted.shape.tools)),
        source=source,
    )


def _server(shape: ServerShape, written: Mapping[str, Any]) -> Server:
    """A server with what may be secret as it was written: it is filled in through the secrets port, and not kept."""
    if shape.url is not None:
        return UrlServer(url=shape.url, headers=written.get("headers", {}))
    assert shape.command is not None
    return CommandServer(command=shape.command, args=tuple(shape.args), env=written.get("env", {}))

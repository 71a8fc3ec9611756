"""What every ``variables.tf`` keeps to: described, in order, and with no default where somebody has to choose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_VARIABLE = re.compile(r'^variable "(\w+)" \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)

NO_DEFAULT = {"firestore_location", "project_id", "region", "vertex_location"}
"""Where data lives and prompts are processed: whoever deploys says it."""


def variable_faults(terraform: Path) -> str:
    """What is wrong with the variables of any folder below `terraform`; empty when nothing is."""
    return "\n".join(
        f"{file.relative_to(terraform.parent)}: {fault}"
        for file in sorted(terraform.glob("*/*/variables.tf"))
        for fault in _faults(file.read_text())
    )


def _faults(text: str) -> Iterator[str]:
    variables = _VARIABLE.findall(text)
    names = [name for name, _ in variables]
    if names != sorted(names):
        yield "variables are not in alphabetical order"
    for name, body in variables:
        if not re.search(r"^  description = ", body, re.MULTILINE):
            yield f"{name} has no description"
        if name in NO_DEFAULT and re.search(r"^  default\b", body, re.MULTILINE):
            yield f"{name} has a default, which would decide in silence"

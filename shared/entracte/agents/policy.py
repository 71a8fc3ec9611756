"""Reading a network's policy manifest."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from entracte.core.policy.manifest import Manifest
from entracte.core.policy.policy import Policy
from entracte.core.policy.reading import read_manifest
from entracte.errors import ConfigurationError

UNGATED = Policy(gate="never")
"""Nobody is ever asked, and nothing can be undone. For tests and toys."""


def read_policy(reference: str) -> Policy:
    """The policy of a manifest; with an empty reference, that of a network which says nothing of its tools.

    Args:
        reference: Path from the current folder, or ``package:resource``.

    Raises:
        ConfigurationError: There is no such file, or it cannot be understood: every fault with its place.
    """
    return Policy(_read(reference)) if reference else Policy()


def _read(reference: str) -> Manifest:
    from entracte.runtime.settings import read_settings  # as for running: modules of authors import without a runtime

    package, colon, name = reference.partition(":")
    try:
        text = (resources.files(package) / name).read_text("utf-8") if colon else Path(reference).read_text("utf-8")
    except (OSError, ModuleNotFoundError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The policy {reference!r} cannot be read: {error}.") from None
    return read_manifest(text, file=reference, variables=read_settings().variables)

"""Reading a network's policy manifest."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from entracte.core.policy.policy import Policy
from entracte.core.policy.reading import read_manifest
from entracte.core.policy.written_listing import listing_file, read_listing
from entracte.errors import ConfigurationError

UNGATED = Policy(gate="never")
"""Nobody is ever asked, and nothing can be undone. For tests and toys."""


def read_policy(reference: str) -> Policy:
    """The policy of a manifest; with an empty reference, that of a network which says nothing of its tools.

    What its servers offer is read from the file beside it, when there is one (`entracte.core.policy.written_listing`).

    Args:
        reference: Path from the current folder, or ``package:resource``.

    Raises:
        ConfigurationError: There is no such file, or it cannot be understood: every fault with its place.
    """
    if not reference:
        return Policy()
    from entracte.runtime.settings import read_settings  # as for running: modules of authors import without a runtime

    text = _text_of(reference)
    if text is None:
        raise ConfigurationError(f"The policy {reference!r} cannot be read: there is no such file.")
    manifest = read_manifest(text, file=reference, variables=read_settings().variables)
    listed = _text_of(listing_file(reference)) if manifest.servers else None
    return Policy(
        manifest, listing=read_listing(listed, file=listing_file(reference)) if listed is not None else Policy().listing
    )


def _text_of(reference: str) -> str | None:
    """A file's text; None when there is no such file."""
    package, colon, name = reference.partition(":")
    try:
        return (resources.files(package) / name).read_text("utf-8") if colon else Path(reference).read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ModuleNotFoundError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The policy {reference!r} cannot be read: {error}.") from None

"""A listing as a file beside the manifest, so that a start need not ask the servers, and a change of theirs is seen."""

from __future__ import annotations

import json
from typing import Any

from msgspec import DecodeError, Struct
from msgspec.json import decode

from entracte.core.policy.listing import Listing
from entracte.errors import ConfigurationError

ENDING = ".tools.json"
"""``policy.yaml`` has its listing in ``policy.tools.json``."""


class _File(Struct, forbid_unknown_fields=True):
    version: int
    servers: dict[str, list[dict[str, Any]]]


def listing_file(manifest: str) -> str:
    """Name of the file that belongs to a manifest's."""
    return f"{manifest.removesuffix('.yaml').removesuffix('.yml')}{ENDING}"


def write_listing(listing: Listing) -> str:
    """The file's text: the same listing gives the same text, whatever order the servers told it in."""
    servers = {name: sorted(tools, key=lambda tool: str(tool.get("name"))) for name, tools in listing.items()}
    return json.dumps({"version": 1, "servers": servers}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def read_listing(text: str, *, file: str) -> Listing:
    """Read such a file.

    Raises:
        ConfigurationError: It is none, or of another version.
    """
    try:
        found = decode(text, type=_File)
    except (DecodeError, RecursionError) as error:
        raise ConfigurationError(
            f"{file}: {error}.", remedy="Write it anew: entracte check --manifest FILE --write."
        ) from None
    if found.version != 1:
        raise ConfigurationError(f"{file}: its version is {found.version}; this one of Entracte reads version 1.")
    return found.servers

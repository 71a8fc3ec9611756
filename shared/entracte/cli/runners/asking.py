"""Asking one server what it offers, and writing it into a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from entracte.cli.failures import reason
from entracte.cli.manifests.drafting import Draft, draft
from entracte.core.policy.listing import Listing
from entracte.core.policy.server import CommandServer, Server, UrlServer
from entracte.core.policy.written_listing import listing_file, read_listing, write_listing
from entracte.errors import ConfigurationError, ServerUnavailable
from entracte.runtime.asking_servers import ask_servers
from entracte.runtime.settings import read_settings


class Asked(Struct, frozen=True, kw_only=True):
    """A server as it was given on the command line.

    Attributes:
        command: Program and arguments; empty when it has a URL.
        names: Environment variables that it is given.
        headers: HTTP headers.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    names: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()

    def entry(self) -> dict[str, Any]:
        """It as a manifest has it: a dollar sign is written twice, and of a secret the name."""
        if self.url:
            headers = {"headers": dict(self.headers)} if self.headers else {}
            return {"url": self.url.replace("$", "$$"), **headers}
        program, *arguments = (word.replace("$", "$$") for word in self.command)
        env = {"env": {name: f"${{{name}}}" for name in self.names}} if self.names else {}
        return {"command": program, "args": arguments, **env}

    def server(self) -> Server:
        """It as it is connected to."""
        if self.url:
            return UrlServer(url=self.url, headers=dict(self.headers))
        env = {name: f"${{{name}}}" for name in self.names}
        return CommandServer(command=self.command[0], args=self.command[1:], env=env)


def write_manifest(asked: Asked, path: Path) -> tuple[Draft, int]:
    """Ask a server, and write it and its tools into a manifest and the listing beside it. Gives the number of tools.

    Raises:
        ServerUnavailable: It could not be asked. Nothing is written.
        ConfigurationError: The manifest that is there cannot be read or understood. Nothing is written.
    """
    found, faults = ask_servers({asked.name: asked.server()})
    if faults:
        raise ServerUnavailable(faults[asked.name], remedy="Start it by hand, to see what it needs.")
    before = read_text(path)
    drafted = draft(
        before, asked.name, asked.entry(), found[asked.name], file=str(path), variables=read_settings().variables
    )
    listing = written_listing(path)
    path.write_text(drafted.text, "utf-8")
    write_listed(path, {**listing, **found})
    return drafted, len(found[asked.name])


def written_listing(manifest: Path) -> Listing:
    """What was written down of a manifest's servers."""
    file = listing_file(str(manifest))
    text = read_text(Path(file))
    return read_listing(text, file=file) if text is not None else {}


def write_listed(manifest: Path, listing: Mapping[str, Any]) -> Path:
    """Write down what a manifest's servers offer."""
    file = Path(listing_file(str(manifest)))
    file.write_text(write_listing(listing), "utf-8")
    return file


def read_text(path: Path) -> str | None:
    """A file's text, None when there is none."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {reason(error)}.") from None

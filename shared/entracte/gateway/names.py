"""What tools and prompts are called towards the client. One server passes through; several are told apart. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

OWN = ""
"""Stands for the tools of this process in the place of a server's name."""


class Names(Struct, frozen=True):
    """Names outside and inside.

    Attributes:
        sources: The servers in the order of the manifest; `OWN` first when there are tools of this process.
    """

    sources: tuple[str, ...]

    @classmethod
    def of(cls, servers: Sequence[str], *, own: bool) -> Names:
        return cls((*((OWN,) if own else ()), *servers))

    @property
    def only(self) -> str | None:
        """The one source that passes through; None when there are several, or none."""
        return self.sources[0] if len(self.sources) == 1 else None

    def outside(self, source: str, name: str) -> str:
        """What the client knows a source's tool or prompt by."""
        return name if self.only is not None or source == OWN else f"{source}__{name}"

    def inside(self, name: str) -> tuple[str, str] | None:
        """Source and name there of what the client knows by this name; None where that names no source."""
        if self.only is not None:
            return self.only, name
        for source in sorted(self.sources, key=len, reverse=True):
            if source != OWN and name.startswith(f"{source}__"):
                return source, name.removeprefix(f"{source}__")
        return (OWN, name) if OWN in self.sources else None

    def tool(self, name: str) -> str:
        """Full name in the policy of the tool that the client calls so; empty where there is none."""
        match self.inside(name):
            case None:
                return ""
            case source, tool if source == OWN:
                return "" if "." in tool else tool
            case source, tool:
                return f"{source}.{tool}"

"""What a network offers to MCP clients: the tools of its servers and its own, the servers' prompts and resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.core.tool_spec import ToolSpec
from entracte.errors import InvalidInput, ServerRefused
from entracte.gateway.listing import ITEMS, page_of
from entracte.gateway.names import OWN, Names
from entracte.ports.servers import Servers

REQUEST_S = 60.0
"""Longest time for a request that is no call of a tool."""

_METHOD_NOT_FOUND = -32601

_MAX_ADDRESSES = 10_000
"""Resources of which it is remembered which server has them."""


class Offer:
    """The servers as one. Threads share it.

    Args:
        tools: All tools of the network by their full names; those without a dot are of this process.
    """

    def __init__(self, servers: Servers, names: tuple[str, ...], tools: Mapping[str, ToolSpec]) -> None:
        own = [tool for name, tool in tools.items() if "." not in name and not tool.asks]
        self.names = Names.of(names, own=bool(own))
        self._servers = servers
        self._own = [_own_tool(tool) for tool in own]
        self._about = {name: servers.about(name) for name in names}
        self._server_of: dict[str, str] = {}

    @property
    def about(self) -> Mapping[str, Any]:
        """What the one server that passes through says of itself; nothing where there are several."""
        return self._about.get(self.names.only or OWN, {})

    @property
    def instructions(self) -> Mapping[str, str]:
        """What each server says of its use."""
        return {name: str(about.get("instructions", "")) for name, about in self._about.items()}

    @property
    def capabilities(self) -> frozenset[str]:
        """What at least one server can do."""
        return frozenset(name for about in self._about.values() for name in about.get("capabilities", {}))

    def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of a request that calls no tool.

        Raises:
            ServerRefused, ServerUnavailable: As the servers port says.
            InvalidInput: It names nothing that there is.
        """
        if method in ITEMS:
            return self._list(method, params)
        match method, params:
            case "prompts/get", {"name": str(name)}:
                source, prompt = self._inside(name)
                return self._ask(source, method, {**params, "name": prompt})
            case "completion/complete", {"ref": {"type": "ref/prompt", "name": str(name)} as ref}:
                source, prompt = self._inside(name)
                return self._ask(source, method, {**params, "ref": {**ref, "name": prompt}})
            case "completion/complete", {"ref": {"uri": str(uri)}}:
                return self._at(uri, method, params)
            case _, {"uri": str(uri)}:
                return self._at(uri, method, params)
            case _:
                raise InvalidInput(f"{method} needs a name or an address.")

    def _list(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.names.only is not None:
            return self._page(method, self.names.only, params)
        cursor = params.get("cursor")
        return page_of(
            method,
            str(cursor) if cursor is not None else None,
            self.names.sources,
            lambda source, inner: self._page_if_any(method, source, inner),
            self.names.outside,
        )

    def _page(self, method: str, source: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if source == OWN:
            return {ITEMS[method]: self._own if method == "tools/list" else []}
        found = self._ask(source, method, params)
        if method == "resources/list" and len(self._server_of) < _MAX_ADDRESSES:
            self._server_of |= {str(item.get("uri")): source for item in found.get("resources", [])}
        return found

    def _page_if_any(self, method: str, source: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """A server without prompts or resources has none of them; for one among several that is no error."""
        try:
            return self._page(method, source, params)
        except ServerRefused as refused:
            if refused.error.get("code") != _METHOD_NOT_FOUND:
                raise
            return {ITEMS[method]: []}

    def _at(self, uri: str, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """From the server that has the resource: the one that listed it, else whichever knows it."""
        known = self._server_of.get(uri)
        servers = [name for name in self.names.sources if name != OWN]
        refusal: ServerRefused | None = None
        for source in sorted(servers, key=lambda name: name != known):
            try:
                return self._ask(source, method, params)
            except ServerRefused as refused:
                refusal = refusal or refused
        if refusal is not None:
            raise refusal
        raise InvalidInput(f"There is no resource {uri[:200]!r}.")

    def _inside(self, name: str) -> tuple[str, str]:
        found = self.names.inside(name)
        if found is None or found[0] == OWN:
            raise InvalidInput(f"There is no prompt {name[:200]!r}.")
        return found

    def _ask(self, source: str, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._servers.request(source, method, params, timeout_s=REQUEST_S)


def _own_tool(tool: ToolSpec) -> Mapping[str, Any]:
    """A tool of this process as servers describe theirs."""
    return {
        "name": tool.name,
        "description": f"{tool.summary}\n\n{tool.instruction}".strip(),
        "inputSchema": dict(tool.parameters),
        "annotations": {"readOnlyHint": tool.readonly},
    }

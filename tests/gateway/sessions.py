"""Sessions of the SDK's client, held open in a loop of their own, so that a test can use several at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from pydantic import RootModel

SERVER = Path(__file__).with_name("varied_server.py")


class _Result(RootModel[dict[str, Any]]):
    """Any result, as it came."""


class Session:
    """One session."""

    def __init__(self, portal: BlockingPortal, session: ClientSession, about: types.InitializeResult) -> None:
        self._portal = portal
        self._session = session
        self.about = about

    def request(self, method: str, params: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """The result as it came, or ``{"error": …}``."""
        request = types.Request[Any, Any](method=method, params=params or {})

        async def ask() -> dict[str, Any]:
            try:
                return (await self._session.send_request(request, _Result, **options)).root
            except MCPError as error:
                return {"error": error.error.model_dump(exclude_none=True)}

        return self._portal.call(ask)

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool."""
        return self.request("tools/call", {"name": name, "arguments": arguments})

    def soon(self, work: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Begin something in a thread; gives its future."""
        return self._portal.start_task_soon(_in_thread, work, args, options)

    def all_of(self, method: str, key: str) -> list[dict[str, Any]]:
        """All pages of a list."""
        found, params = [], {}
        while True:
            page = self.request(method, params)
            found += page[key]
            if "nextCursor" not in page:
                return found
            params = {"cursor": page["nextCursor"]}


async def _in_thread(work: Callable[..., Any], args: Any, options: Any) -> Any:
    import anyio.to_thread

    return await anyio.to_thread.run_sync(lambda: work(*args, **options))


@contextmanager
def session_over(streams: Any) -> Iterator[Session]:
    """A session over a transport of the SDK."""

    @asynccontextmanager
    async def opened() -> Any:
        async with AsyncExitStack() as stack:
            read, write = (await stack.enter_async_context(streams))[:2]
            session = await stack.enter_async_context(ClientSession(read, write))
            yield session, await session.initialize()

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened()) as (session, about):
        yield Session(portal, session, about)


def bare(folder: Path, name: str = "notes") -> Any:
    """The varied server itself."""
    return stdio_client(StdioServerParameters(command=sys.executable, args=[str(SERVER), str(folder), name]))


PROXY = (sys.executable, "-m", "entracte.cli.main", "proxy")


@asynccontextmanager
async def proxy(folder: Path) -> Any:
    """The proxy in front of the servers of a folder's manifest, with its log in a file."""
    command = StdioServerParameters(command=PROXY[0], args=list(PROXY[1:]), cwd=folder)
    with (folder / "proxy.log").open("a") as log:
        async with stdio_client(command, errlog=log) as streams:
            yield streams


RULES = {
    "echo": "class: readonly",
    "give": "class: readonly",
    "big": "class: readonly",
    "fail": "class: readonly",
    "refuse": "class: readonly",
    "count": "class: readonly",
    "read_note": "class: readonly",
    "look_long": "class: readonly",
    "write_note": "class: reversible, snapshot: {tool: NAME.read_note, args: {}}, "
    "inverse: {tool: NAME.write_note, args: {text: $snapshot.text}}",
    "slow": "class: irreversible, gate: never, timeout: 1s",
    "die": "class: irreversible, gate: never",
    "hang": "class: irreversible, gate: never",
}
"""A rule for each tool of the varied server but `publish`, as the inside of a flow mapping."""


def write_manifest(folder: Path, *names: str, **changed: str) -> Path:
    """A manifest with a varied server of each name."""
    command = f"command: {sys.executable}"
    servers = [f"  {name}: {{{command}, args: [{SERVER}, {folder}, {name}]}}" for name in names or ("notes",)]
    rules = [
        f"  - {{match: {name}.{tool}, {rule.replace('NAME', name)}}}"
        for name in names or ("notes",)
        for tool, rule in (RULES | changed).items()
    ]
    file = folder / "policy.yaml"
    file.write_text("\n".join(["version: 1", "servers:", *servers, "tools:", *rules, ""]))
    return file

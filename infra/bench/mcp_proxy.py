"""What the MCP proxy adds to a readonly call: the same call of the same server, by turns with and without it."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

SERVER = Path(__file__).with_name("echo_server.py")

CALLS = 200
WARM_UP = 20

MANIFEST = """\
version: 1
servers:
  bench: {{command: {python}, args: [{server}]}}
tools:
  - {{match: bench.echo, class: readonly}}
"""


def mcp_figures() -> dict[str, float]:
    """Median milliseconds of a readonly call of the bare server and through the proxy, and the difference."""
    with tempfile.TemporaryDirectory(prefix="entracte-bench-") as folder:
        manifest = MANIFEST.format(python=sys.executable, server=SERVER)
        (Path(folder) / "policy.yaml").write_text(manifest)
        bare_ms, proxied_ms = asyncio.run(_measure(folder))
    return {
        "mcp_bare_ms": round(bare_ms, 3),
        "mcp_proxied_ms": round(proxied_ms, 3),
        "mcp_overhead_ms": round(proxied_ms - bare_ms, 3),
    }


async def _measure(folder: str) -> tuple[float, float]:
    bare = StdioServerParameters(command=sys.executable, args=[str(SERVER)])
    proxied = StdioServerParameters(command=sys.executable, args=["-m", "entracte.cli.main", "proxy"], cwd=folder)
    async with AsyncExitStack() as stack:
        log = stack.enter_context((Path(folder) / "log").open("w"))
        sessions = []
        for command in (bare, proxied):
            read, write = await stack.enter_async_context(stdio_client(command, errlog=log))
            sessions.append(await stack.enter_async_context(ClientSession(read, write)))
            await sessions[-1].initialize()
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(WARM_UP + CALLS):
            for session, taken in zip(sessions, times, strict=True):
                began = time.perf_counter()
                await session.call_tool("echo", {"number": number})
                if number >= WARM_UP:
                    taken.append((time.perf_counter() - began) * 1000)
        return median(times[0]), median(times[1])

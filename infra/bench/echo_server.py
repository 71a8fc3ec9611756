"""The quickest MCP server there can be: one tool, which says its arguments again. On standard input and output."""

from __future__ import annotations

import json
import sys
from typing import Any

ECHO = {"name": "echo", "inputSchema": {"type": "object"}}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = _result(message["method"], message.get("params", {}))
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
            sys.stdout.flush()


def _result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            info = {"name": "bench", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [ECHO]}
        case "tools/call":
            return {"content": [], "structuredContent": params["arguments"]}
        case _:
            return {}


if __name__ == "__main__":
    main()

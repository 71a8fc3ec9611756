"""An MCP server over stdio, by hand: quick to start, and able to misbehave. Each line that it receives is kept.

    python odd_server.py FOLDER

FOLDER/received.jsonl holds every message, FOLDER/starts one character a start.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

TOKEN = os.environ.get("TOKEN", "")  # noqa: TID251  # a program of its own

OBJECT = {"type": "object"}

TOOLS = [
    {"name": "echo", "description": "Say it again.\nExactly as it was.", "inputSchema": OBJECT},
    {"name": "look", "inputSchema": OBJECT, "annotations": {"readOnlyHint": True}},
    {"name": "strict", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    {"name": "raw", "inputSchema": OBJECT},
    {"name": "die", "inputSchema": OBJECT},
    {"name": "hang", "inputSchema": OBJECT},
    {"name": "progress", "inputSchema": OBJECT},
    {"name": "not/a/name", "inputSchema": OBJECT},
]


def main(folder: Path) -> None:
    """Answer until the input ends."""
    with (folder / "starts").open("a") as starts:
        starts.write("x")
    for line in sys.stdin:
        with (folder / "received.jsonl").open("a") as received:
            received.write(line)
        message = json.loads(line)
        if "id" in message:
            answer(folder, message["id"], message["method"], message.get("params", {}))


def answer(folder: Path, request: int, method: str, params: dict) -> None:
    """Answer a request."""
    match method:
        case "initialize":
            version = params["protocolVersion"]
            info = {"name": "odd", "version": "1"}
            tell(request, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
        case "tools/list":
            page = int(params.get("cursor", "0"))
            more = {"nextCursor": str(page + 1)} if page < len(TOOLS) - 1 else {}
            tell(request, {"tools": [TOOLS[page]], **more})
        case "tools/call":
            call(folder, request, params["name"], params.get("arguments", {}), params.get("_meta", {}))
        case _:
            say({"id": request, "error": {"code": -32601, "message": f"No method {method}"}})


def call(folder: Path, request: int, name: str, arguments: dict, meta: dict) -> None:
    """Do what a tool does."""
    match name:
        case "echo" | "look":
            once = folder / "die-once"
            if once.exists():
                once.unlink()
                os._exit(1)
            tell(request, {"content": [], "structuredContent": arguments})
        case "raw":
            say({"id": request, **arguments})
        case "progress":
            token = meta["progressToken"]
            for params in ({"progress": 1, "total": 2}, {"progress": 2, "message": "nearly there"}):
                say({"method": "notifications/progress", "params": {"progressToken": token, **params}})
            tell(request, {"content": [{"type": "text", "text": TOKEN}]})
        case "die":
            sys.stderr.write(f"I am dying of {TOKEN}\n")
            os._exit(1)
        case "hang":
            threading.Thread(target=tell_later, args=(folder, request), daemon=True).start()


def tell_later(folder: Path, request: int) -> None:
    """Answer when FOLDER/go is there."""
    while not (folder / "go").exists():
        time.sleep(0.01)
    tell(request, {"content": [{"type": "text", "text": "late"}]})


def tell(request: int, result: dict) -> None:
    """Send a result."""
    say({"id": request, "result": result})


def say(message: dict) -> None:
    """Send a message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

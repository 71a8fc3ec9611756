"""An MCP server over stdio, by hand: quick to start, with every kind of result, and a note that can be changed.

    python varied_server.py FOLDER [NAME]

FOLDER/NAME.note holds the note, FOLDER/NAME.calls a line for each call that was made.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

OBJECT = {"type": "object"}
NOTE = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

TOOLS = [
    {"name": "echo", "title": "Echo", "description": "Say it again. «Ünï»", "inputSchema": OBJECT, "x-own": {"a": 1}},
    {"name": "give", "description": "Give the result that is asked for.", "inputSchema": OBJECT},
    {"name": "big", "inputSchema": {"type": "object", "properties": {"bytes": {"type": "integer"}}}},
    {"name": "fail", "inputSchema": OBJECT, "annotations": {"readOnlyHint": True}},
    {"name": "refuse", "inputSchema": OBJECT},
    {"name": "count", "description": "Report progress.", "inputSchema": OBJECT},
    {"name": "read_note", "inputSchema": OBJECT, "outputSchema": {"type": "object"}},
    {"name": "write_note", "inputSchema": NOTE},
    {"name": "publish", "description": "Send it out.", "inputSchema": NOTE},
    {"name": "slow", "inputSchema": OBJECT},
    {"name": "die", "inputSchema": OBJECT},
    {"name": "hang", "inputSchema": OBJECT},
    {"name": "look_long", "inputSchema": OBJECT},
]
RESOURCES = [{"uri": f"note://{n}", "name": f"note {n}", "mimeType": "text/plain"} for n in range(5)]
PROMPTS = [{"name": f"prompt{n}", "arguments": [{"name": "who", "required": True}]} for n in range(3)]
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {}, "completions": {}}


class Refused(Exception):
    """A JSON-RPC error."""


class Server:
    """Answers, some of them late."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.note = folder / f"{name}.note"
        self.calls = folder / f"{name}.calls"
        self.lock = threading.Lock()

    def serve(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if message["method"] == "notifications/cancelled":
                with self.lock, self.calls.open("a") as calls:
                    calls.write("cancelled\n")
            if "id" in message:
                threading.Thread(target=self.answer, args=(message,), daemon=True).start()

    def answer(self, message: dict) -> None:
        try:
            result = self.result(message["method"], message.get("params", {}))
        except Refused as refused:
            self.say({"id": message["id"], "error": refused.args[0]})
        else:
            self.say({"id": message["id"], "result": result})

    def result(self, method: str, params: dict) -> dict:
        match method:
            case "initialize":
                info = {"name": self.name, "version": "7", "title": "Varied"}
                version = params["protocolVersion"]
                more = {"instructions": f"Notes of {self.name}."}
                return {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": info, **more}
            case "ping":
                return {}
            case "tools/list":
                return self.page("tools", TOOLS, params, 5)
            case "resources/list":
                return self.page("resources", RESOURCES, params, 2)
            case "resources/templates/list":
                return {"resourceTemplates": [{"uriTemplate": "note://{n}", "name": "note"}]}
            case "prompts/list":
                return self.page("prompts", PROMPTS, params, 2)
            case "resources/read":
                if params["uri"] not in [resource["uri"] for resource in RESOURCES]:
                    raise Refused({"code": -32002, "message": "Resource not found", "data": {"uri": params["uri"]}})
                return {"contents": [{"uri": params["uri"], "text": f"{self.name}: {params['uri']}"}]}
            case "prompts/get":
                text = f"{self.name} {params['name']} for {params.get('arguments', {}).get('who')}"
                return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
            case "completion/complete":
                return {"completion": {"values": [params["argument"]["value"] + "!"], "hasMore": False}}
            case "tools/call":
                return self.call(params["name"], params.get("arguments", {}), params.get("_meta", {}))
            case _:
                raise Refused({"code": -32601, "message": "Method not found"})

    def page(self, key: str, items: list, params: dict, size: int) -> dict:
        start = int(params.get("cursor", "0"))
        more = {"nextCursor": str(start + size)} if start + size < len(items) else {}
        return {key: items[start : start + size], **more}

    def call(self, name: str, arguments: dict, meta: dict) -> dict:
        with self.lock, self.calls.open("a") as calls:
            calls.write(f"{name} {json.dumps(arguments)[:200]}\n")
        match name:
            case "echo":
                return {"content": [{"type": "text", "text": json.dumps(arguments)}], "structuredContent": arguments}
            case "give":
                return arguments["result"]
            case "big":
                return text("é" * (arguments["bytes"] // 2))
            case "fail":
                return {
                    "content": [{"type": "text", "text": "No."}, {"type": "text", "text": "Never."}],
                    "isError": True,
                }
            case "refuse":
                raise Refused({"code": -32602, "message": "Not like this", "data": {"why": ["a", None]}})
            case "count":
                for params in ({"progress": 1, "total": 2}, {"progress": 2, "total": 2, "message": "all of it"}):
                    if (token := meta.get("progressToken")) is not None:
                        self.say({"method": "notifications/progress", "params": {"progressToken": token, **params}})
                return text("counted")
            case "read_note":
                return {
                    "content": [],
                    "structuredContent": {"text": self.note.read_text() if self.note.exists() else ""},
                }
            case "write_note":
                self.note.write_text(arguments["text"])
                return text("written")
            case "publish":
                return text(f"published {arguments['text']}")
            case "slow":
                time.sleep(arguments.get("s", 3))
                self.note.write_text("slow")
                return text("at last")
            case "die":
                os._exit(1)
            case "hang" | "look_long":
                time.sleep(60)
                return text("never")
            case _:
                return {**text(f"Unknown tool: {name}"), "isError": True}

    def say(self, message: dict) -> None:
        with self.lock:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            sys.stdout.flush()


def text(words: str) -> dict:
    """A result of one text."""
    return {"content": [{"type": "text", "text": words}]}


if __name__ == "__main__":
    Server(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "notes").serve()

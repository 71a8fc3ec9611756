"""The undo layer in front of any MCP client: the tools of a network's servers, and its own, by the same protocol."""

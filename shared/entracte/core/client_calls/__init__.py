"""Calls from outside: an MCP client asks for them one by one, and nothing is planned. Pure."""

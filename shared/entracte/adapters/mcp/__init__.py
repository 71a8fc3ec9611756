"""Tools of MCP servers, by the SDK of the protocol. It is imported when a server is first needed."""

"""mcp: the tools, for other people's agents, over the Model Context Protocol. Same policy, same undo."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework.aio

    from entracte.gateway.function import mcp_function

    mcp = functions_framework.aio.http(mcp_function())

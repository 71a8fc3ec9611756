"""Tools that read the web: `http_get` as it comes, `open_url` as Markdown. Neither reaches private addresses.

``Agent(tools=[open_url])`` gives one. Other limits, or pages of this machine in tests, are ``WebTools(…).open_url``.
``open_url`` needs the extra ``web``.
"""

from entracte.toolbox.web.tools import WebTools

web_tools = WebTools()
http_get = web_tools.http_get
open_url = web_tools.open_url

__all__ = ["WebTools", "http_get", "open_url", "web_tools"]

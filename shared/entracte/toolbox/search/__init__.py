"""A tool that searches the web with Tavily.

``Agent(tools=[web_search])`` searches with the deployment's key, the secret ``tavily``; `search_tool` makes one with
another key, or a key for each user.
"""

from entracte.toolbox.search.tool import search_tool

web_search = search_tool()

__all__ = ["search_tool", "web_search"]

"""Tools that work with long-term memory: what is known of the user from other conversations.

``Agent(tools=[*memory_tools, …])`` gives them all. Each brings its rule along: looking is free, and what is remembered
or forgotten can be undone. What is kept without any tool after an answer, ``Network(memory=Memory())`` asks for.
"""

from entracte.toolbox.memory.forgetting import forget
from entracte.toolbox.memory.recalling import list_memory_dates, read_memories_by_date, recall
from entracte.toolbox.memory.remembering import remember

memory_tools = (remember, recall, list_memory_dates, read_memories_by_date, forget)

__all__ = ["forget", "list_memory_dates", "memory_tools", "read_memories_by_date", "recall", "remember"]

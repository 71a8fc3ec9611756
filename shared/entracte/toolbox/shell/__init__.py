"""A tool that runs programs. There is none until an author makes one and names the commands that it may run.

``Agent(tools=[shell_tool(allow=["git log", "pytest"], folder="checkout")])``. A command is a list of words that reaches
the program as it is: no shell takes it apart. Each call waits for a person, unless ``.gated("never")``.

What a command costs is bounded; what it can reach is not: a program that may run can read and send whatever this
process can.
"""

from entracte.toolbox.shell.tool import shell_tool

__all__ = ["shell_tool"]

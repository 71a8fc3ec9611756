"""The tool `shell`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import Tool, tool
from entracte.core.calls import Prepared
from entracte.errors import ConfigurationError, ToolError
from entracte.toolbox.decoding import decoded
from entracte.toolbox.files.root import MAX_PATH_CHARS, Root
from entracte.toolbox.shell.allowed import PATH, read_allowed
from entracte.toolbox.shell.running import Bounds, run
from entracte.toolbox.untrusted import UNTRUSTED

MAX_TIMEOUT_S = 400

Word = Annotated[str, Field(max_length=10_000, pattern=r"^[^\x00]*$")]
Command = Annotated[
    list[Word],
    Field(min_length=1, max_length=200, description='Program and arguments, one each, such as ["ls", "-l"]. No shell.'),
]


def shell_tool(
    *,
    allow: Sequence[str],
    folder: str | Path,
    env: Mapping[str, str] | None = None,
    timeout_s: float = 30,
    output_bytes: int = 20_000,
    memory_bytes: int = 1_000_000_000,
    file_bytes: int = 100_000_000,
) -> Tool:
    """Make a tool that runs commands.

    Args:
        allow: How commands may begin: ``git log`` allows ``git log -3``, and neither ``git push`` nor ``git -C / log``.
        folder: Where commands run; a call may choose a folder in it.
        env: Variables beside ``PATH``, ``HOME`` (the folder) and ``LANG``. Nothing of this process's own is handed on.
        timeout_s, output_bytes, memory_bytes, file_bytes: See `Bounds`.

    Raises:
        ConfigurationError: A program or the folder is not there, or a bound is none.
    """
    allowed, root = read_allowed(allow), Root(folder)
    if not 0 < timeout_s <= MAX_TIMEOUT_S or min(output_bytes, memory_bytes, file_bytes) < 1:
        raise ConfigurationError(f"The bounds of a shell are more than 0, and timeout_s at most {MAX_TIMEOUT_S}.")
    bounds = Bounds(timeout_s=timeout_s, output_bytes=output_bytes, memory_bytes=memory_bytes, file_bytes=file_bytes)
    handed = {"PATH": PATH, "HOME": str(root.path), "LANG": "C.UTF-8", **(env or {})}

    def checked(arguments: dict[str, Any], ctx: ToolContext[Any]) -> Prepared:
        """The call, if the command may run at all: nobody is asked about one that may not."""
        allowed.program_of(arguments["command"])
        root.parts(arguments.get("folder", ""))
        return Prepared(arguments=arguments)

    @tool(
        timeout_s=timeout_s + 20,
        prepare=checked,
        evaluation="The exit code is 0 and the output says what was looked for; else read what it says of the error.",
        rule={"class": "irreversible", "gate": "always", "question": "Run $.command?"},
    )
    def shell(
        command: Command,
        folder: Annotated[
            str, Field(max_length=MAX_PATH_CHARS, description="Where to run it; empty for the top.")
        ] = "",
    ) -> dict[str, Any]:
        """Run a program and read what it says.

        There is no shell: no pipes, wildcards, variables or redirection. It is given no input, and is killed when it
        takes too long.
        """
        program = allowed.program_of(command)
        at = root.path.joinpath(*root.parts(folder))
        if not at.is_dir():
            raise ToolError(f"There is no folder {folder!r}.")
        try:
            ran = run(program, command, folder=at, env=handed, bounds=bounds)
        except OSError as error:
            raise ToolError(f"{command[0]} cannot be started: {error.strerror}.") from None
        return {
            "exit_code": ran.exit_code,
            "killed": ran.killed,
            "note": UNTRUSTED,
            "stdout": decoded(ran.stdout),
            "stderr": decoded(ran.stderr),
        }

    return shell

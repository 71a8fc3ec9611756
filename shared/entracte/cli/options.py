"""The options that all commands share."""

from __future__ import annotations

from msgspec import Struct

from entracte.errors import InvalidInput

FLAGS = {"--json"}
VALUED = {"--url", "--token", "--network", "--store", "--log-level"}


class Options(Struct, frozen=True, kw_only=True):
    """What was given before or after the command.

    Attributes:
        url: Address of a deployed API; empty for this machine.
        token: Bearer token for it.
        network: ``package.module:name``.
        store: SQLite file, or ``memory``.
        user: Whose runs they are, on this machine; empty for whoever the settings name. No option gives it.
        as_json: JSON on standard output and nothing else.
    """

    url: str = ""
    token: str = ""
    network: str = ""
    store: str = ""
    user: str = ""
    as_json: bool = False

    def words(self) -> list[str]:
        """The options as another process is given them; the token is left to its environment."""
        given = {"url": self.url, "network": self.network, "store": self.store}
        return [f"--{name}={value}" for name, value in given.items() if value] + ["--json"] * self.as_json


def refuse_empty(arguments: list[str]) -> None:
    """Refuse an empty argument or option: commands take the newest run, the only gate, this machine for none.

    What follows ``--`` after ``init`` is another program's.

    Raises:
        InvalidInput: It names what stands before it.
    """
    ours = arguments[: arguments.index("--")] if "--" in arguments and "init" in arguments else arguments
    for place, argument in enumerate(ours):
        name, _, value = argument.partition("=")
        is_option = name.startswith("--") and len(name) > 2
        if argument == "" or (is_option and "=" in argument and not value):
            after = name or (f"What follows {ours[place - 1]}" if place else "The command")
            raise InvalidInput(
                f"{after} is empty.",
                remedy="Name what is meant, or leave it out. Perhaps a variable of the shell is not set.",
            )


def shared_first(arguments: list[str]) -> list[str]:
    """The arguments with shared options moved before the command, so that they may be given after it as well.

    What follows ``--`` stays: it is never an option.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    moved: list[str] = []
    rest: list[str] = []
    given = iter(arguments[:end])
    for argument in given:
        name = argument.partition("=")[0]
        if argument in FLAGS or (name in VALUED and "=" in argument):
            moved.append(argument)
        elif argument in VALUED:
            moved += [argument, *([value] if (value := next(given, None)) is not None else [])]
        else:
            rest.append(argument)
    return [*moved, *rest, *arguments[end:]]

"""Asking the person at the keyboard."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from entracte.cli.invocation import Invocation
from entracte.cli.terminal.screen import Screen
from entracte.errors import InvalidInput


def at_keyboard(called: Invocation) -> bool:
    """Whether there is a person who can be asked: not in a pipe, not where JSON alone is wanted."""
    return sys.stdin.isatty() and called.screen.err.is_terminal and not called.options.as_json


def need_somebody(called: Invocation, consequence: str, *, remedy: str = "") -> None:
    """Refuse what is only done when a person agrees, or when --yes is given, where there is nobody to ask.

    Raises:
        InvalidInput: It says what would be done.
    """
    if not at_keyboard(called):
        raise InvalidInput(
            f"{consequence}, and nobody can be asked here.", remedy=f"Give --yes to do it. {remedy}".rstrip()
        )


def read_line(screen: Screen, prompt: str) -> str:
    """What the person writes after the prompt; nothing at Ctrl-D."""
    screen.err.print(prompt, end="", soft_wrap=True)
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        screen.err.print()
    return line.strip()


def choose(screen: Screen, prompt: str, keys: Mapping[str, str], default: str) -> str:
    """One of the words, by its key or its beginning.

    Args:
        keys: Key → word.
        default: Word for an empty line, Ctrl-D and Ctrl-C.
    """
    while True:
        try:
            line = read_line(screen, prompt).lower()
        except KeyboardInterrupt:
            screen.err.print()
            return default
        if not line:
            return default
        if found := [word for key, word in keys.items() if line == key or word.startswith(line)]:
            return found[0]
        screen.note(f"One of: {', '.join(f'{key} ({word})' for key, word in keys.items())}.")


def agrees(screen: Screen, question: str) -> bool:
    """Whether the person says yes; no is what everything else means."""
    return choose(screen, f"{question} [y/N] ", {"y": "yes", "n": "no"}, "no") == "yes"

"""Texts within a JSON reply that is still being written, for people who watch it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator


class JsonSpeech:
    """Finds the strings that stand at some keys of an object, piece by piece.

    Args:
        fields: Keys whose strings are wanted.
        within: Keys of objects that are looked into; everything else that is nested is passed over.
    """

    def __init__(self, fields: Collection[str], within: Collection[str] = ("next",)) -> None:
        self._fields = fields
        self._within = within
        self._open: list[str] = []
        """What is open, as brackets; a ``{`` that is looked into is a ``<``."""
        self._key: str | None = None
        self._string: str | None = None
        """What has been read of the current string, or None outside of one."""
        self._telling = False
        self._escape = ""

    def hear(self, piece: str) -> Iterator[tuple[str, str]]:
        """Give ``(key, text)`` for what the piece adds."""
        key, told = "", ""
        for char in piece:
            if self._string is None:
                if told:
                    yield key, told
                    told = ""
                self._outside(char)
            elif (text := self._inside(char)) and self._telling:
                key, told = self._key or "", told + text
        if told:
            yield key, told

    def _outside(self, char: str) -> None:
        match char:
            case "{" | "[":
                looked_into = char == "{" and (not self._open or self._is_wanted(self._within))
                self._open.append("<" if looked_into else char)
                self._key = None
            case "}" | "]":
                del self._open[-1:]
                self._key = None
            case ",":
                self._key = None
            case '"':
                self._string = ""
                self._telling = self._is_wanted(self._fields)
            case _:
                pass

    def _is_wanted(self, keys: Collection[str]) -> bool:
        """Whether the value that begins here stands at one of the keys, in an object that is looked into."""
        return self._open[-1:] == ["<"] and self._key in keys

    def _inside(self, char: str) -> str:
        """The text that a character of a string completes."""
        if self._escape:
            self._escape += char
            text = _unescaped(self._escape)
            if text is None:
                return ""
            self._escape = ""
        elif char == "\\":
            self._escape = char
            return ""
        elif char == '"':
            if self._open[-1:] == ["<"] and self._key is None:
                self._key = self._string
            self._string = None
            return ""
        else:
            text = char
        if not self._telling:
            self._string = (self._string or "") + text
        return text


def _unescaped(escape: str) -> str | None:
    """What an escape stands for; None while it is not complete. A surrogate waits for its other half."""
    if escape[1] != "u":
        return _read(escape)
    if len(escape) < 6:
        return None
    if not "d800" <= escape[2:6].lower() <= "dbff":
        return _read(escape)
    if len(escape) < 12 and "\\u"[: len(escape) - 6] == escape[6:8]:
        return None
    return _read(escape)


def _read(escape: str) -> str:
    try:
        return str(json.loads(f'"{escape}"')).encode("utf-8", "replace").decode()
    except ValueError:
        return "\ufffd"  # broken JSON: the whole reply will be refused, but until then it may be watched

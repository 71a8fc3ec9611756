"""The file tools of one folder."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import Tool, tool
from entracte.core.calls import Prepared
from entracte.core.editing.diff import diff_of_texts
from entracte.core.editing.lines import lines_of
from entracte.errors import ToolError
from entracte.toolbox.decoding import decoded
from entracte.toolbox.files.listing import listed
from entracte.toolbox.files.reading import pieces, shortened, text_of, whole
from entracte.toolbox.files.root import MAX_PATH_CHARS, Root
from entracte.toolbox.files.writing import MAX_BYTES, present, put, put_back, record_of, version_of

LINES = 200
"""Lines of a file that are shown at once."""

MAX_READ_BYTES = 10_000_000
MAX_COUNTED_BYTES = 200_000_000
MAX_SHOWN_CHARS = 60_000

MAX_DIFF_LINES = 200
"""Lines of the diff that is worked out for people; they see at most 60 of them."""

FilePath = Annotated[
    str, Field(min_length=1, max_length=MAX_PATH_CHARS, description="Path within the folder, with slashes.")
]


class FileTools:
    """Tools that work with the files of one folder.

    Attributes:
        read_file, list_files, count_lines, write_file: The tools.
        readonly: Those that change nothing.
        all: All four.
    """

    def __init__(self, folder: str | Path) -> None:
        """Look at the folder.

        Raises:
            ConfigurationError: It is none.
        """
        root = Root(folder)
        self.read_file: Tool = _read_file(root)
        self.list_files: Tool = _list_files(root)
        self.count_lines: Tool = _count_lines(root)
        self.write_file: Tool = _write_file(root)
        self.readonly: tuple[Tool, ...] = (self.read_file, self.list_files, self.count_lines)
        self.all: tuple[Tool, ...] = (*self.readonly, self.write_file)


def _read_file(root: Root) -> Tool:
    @tool(effect="readonly", rule={"class": "readonly"}, evaluation="The lines hold what was looked for; else read on.")
    def read_file(
        path: FilePath,
        first_line: Annotated[int, Field(ge=1, description="Line to begin at.")] = 1,
        lines: Annotated[int, Field(ge=1, le=LINES, description="How many lines.")] = LINES,
    ) -> dict[str, Any]:
        """Read a text file, 200 lines at a time."""
        there = lines_of(text_of(whole(root, root.parts(path), MAX_READ_BYTES), path))
        shown: list[str] = []
        for line in islice(there, first_line - 1, first_line - 1 + lines):
            if sum(map(len, shown)) > MAX_SHOWN_CHARS:
                break
            shown.append(shortened(line))
        left = max(0, len(there) - (first_line - 1) - len(shown))
        return {
            "path": path,
            "lines": f"{first_line} to {first_line + len(shown) - 1} of {len(there)}"
            if shown
            else f"0 of {len(there)}",
            "content": "".join(shown),
            "more": f"{left:,} more lines" if left and shown else "",
        }

    return read_file


def _list_files(root: Root) -> Tool:
    @tool(effect="readonly", rule={"class": "readonly"}, evaluation="It shows what there is to choose from.")
    def list_files(
        path: Annotated[str, Field(max_length=MAX_PATH_CHARS, description="Folder; empty for all of it.")] = "",
        pattern: Annotated[str, Field(max_length=200, description="Such as *.md or notes/*; empty for all.")] = "",
        deep: Annotated[bool, Field(description="With the folders in it, and those in them.")] = False,
    ) -> dict[str, Any]:
        """List files and folders, with sizes in bytes."""
        return listed(root, path, pattern, deep=deep)

    return list_files


def _count_lines(root: Root) -> Tool:
    @tool(effect="readonly", rule={"class": "readonly"}, evaluation="It is the file that was meant.")
    def count_lines(path: FilePath) -> dict[str, Any]:
        """Count the lines and bytes of a file, without reading it."""
        size = newlines = 0
        last = b"\n"
        with root.file(root.parts(path)) as opened:
            for piece in pieces(opened, MAX_COUNTED_BYTES + 1):
                size += len(piece)
                newlines += piece.count(b"\n")
                last = piece[-1:]
        if size > MAX_COUNTED_BYTES:
            raise ToolError(f"{path!r} has more than {MAX_COUNTED_BYTES:,} bytes, and so many are counted.")
        return {"path": path, "lines": newlines + (last != b"\n"), "bytes": size}

    return count_lines


def _write_file(root: Root) -> Tool:
    @tool(effect="readonly")
    def file_record(path: str) -> dict[str, Any]:
        """Read what a call changes. For rules, not for agents."""
        return record_of(root, root.parts(path))

    @tool(idempotent=True)
    def put_back_file(path: str, record: dict[str, Any]) -> str:
        """Make a file what it was. For rules, not for agents."""
        put_back(root, root.parts(path), record)
        return path

    def shown(arguments: dict[str, Any], ctx: ToolContext[Any]) -> Prepared:
        """The call with the version that it changes, and the diff that a person is asked about."""
        parts = root.parts(arguments["path"])
        if not parts:
            raise ToolError("The folder itself is no file.")
        body, content = present(root, parts), arguments["content"]
        if len(content.encode()) > MAX_BYTES:
            raise ToolError(f"A file of at most {MAX_BYTES:,} bytes is written.")
        if body == content.encode():
            raise ToolError("This would change nothing.")
        given = {"path": "/".join(parts), "version": arguments.get("version") or version_of(body)}
        before = "" if body is None or b"\0" in body else decoded(body)
        return Prepared(arguments=arguments | given, diff=tuple(islice(diff_of_texts(before, content), MAX_DIFF_LINES)))

    @tool(
        idempotent=True,
        evaluation="The file says what it was to say, and nothing was lost that should have stayed.",
        prepare=shown,
        needs=(file_record, put_back_file),
        rule={
            "class": "reversible",
            "gate": "always",
            "question": "Write the file $.path?",
            "snapshot": {"tool": "file_record", "args": {"path": "$.path"}},
            "inverse": {"tool": "put_back_file", "args": {"path": "$.path", "record": "$snapshot"}},
        },
    )
    def write_file(
        path: FilePath,
        content: Annotated[str, Field(max_length=MAX_BYTES, description="The whole text of the file, as UTF-8.")],
        version: Annotated[str, Field(max_length=40, description="Leave it out: it is given.")] = "",
    ) -> dict[str, Any]:
        """Write a text file as a whole, a new one or over what is there.

        Read a file first that is there. Folders on the way are made.
        """
        parts, body = root.parts(path), content.encode()
        there = present(root, parts)
        if there != body:  # an earlier attempt of this call may have written it
            if version and version_of(there) != version:
                raise ToolError(f"{path!r} has changed since.", remedy="Read it again.")
            put(root, parts, body)
        return {"path": path, "bytes": len(body), "lines": len(lines_of(content))}

    return write_file

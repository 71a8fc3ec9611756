"""``entracte letters``: messages that nobody could read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from entracte.cli.invocation import Invocation, invocation

if TYPE_CHECKING:
    from rich.text import Text

    from entracte.cli.records.upkeep import Json, Upkeep

SEARCHED = 200
"""Latest letters among which the beginning of an id is looked for."""


def letters(
    context: typer.Context,
    drop: Annotated[str, typer.Option(metavar="LETTER", help="Delete this one: its id, or how it begins.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=SEARCHED, metavar="N", help="Most letters to show.")] = 50,
) -> None:
    """Show messages that no function could read. The one that came last is first; for operators.

    When, to which function, how large, and what is wrong with them; not what is in them.
    """
    from entracte.cli.runners.opening import open_records
    from entracte.cli.terminal.columns import in_columns

    called = invocation(context)
    with open_records(called.options) as records:
        if drop:
            _drop(called, records.upkeep(), drop)
            return
        found = records.upkeep().letters(limit=limit)
    if called.options.as_json:
        called.screen.json({"letters": list(found)})
    elif found:
        called.screen.lines(in_columns(_rows(found), right=frozenset({2, 4})))
    else:
        called.screen.note("No letters: every message could be read.")


def _drop(called: Invocation, upkeep: Upkeep, reference: str) -> None:
    from entracte.errors import NotFound

    ids = [letter["id"] for letter in upkeep.letters(limit=SEARCHED) if letter["id"].startswith(reference)]
    if len(ids) != 1:
        what = "More than one letter's id begins" if ids else "No letter's id begins"
        raise NotFound(f"{what} with {reference!r}.", remedy=f"The latest: {called.command('letters')}")
    dropped = upkeep.drop_letter(ids[0])
    if called.options.as_json:
        called.screen.json(dropped)
    else:
        called.screen.note(f"Letter {dropped['id'][:12]} dropped.", style="green")


def _rows(letters: tuple[Json, ...]) -> list[list[Text]]:
    """The head, then a row for each letter."""
    from rich.text import Text

    from entracte.cli.terminal.plain_text import one_line
    from entracte.cli.terminal.quantities import age

    now = datetime.now(UTC)
    rows = [[Text(name, "dim") for name in ("letter", "source", "times", "last", "bytes", "what is wrong")]]
    for letter in letters:
        came = f"{age(datetime.fromisoformat(letter['last']), now)} ago"
        cells = (
            letter["id"][:12],
            letter["source"],
            f"{letter['count']:,}",
            came,
            f"{letter['size_bytes']:,}",
            one_line(letter["reason"], 200),
        )
        rows.append([Text(cell) for cell in cells])
    return rows

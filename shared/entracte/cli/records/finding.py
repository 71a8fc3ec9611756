"""Finding the run that somebody means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json, Records
from entracte.errors import NotFound


def find_run(called: Invocation, records: Records, reference: str) -> Json:
    """The run of that id, the only one whose id begins so, or the newest for an empty reference.

    Raises:
        NotFound: None, or more than one; says where to look.
    """
    try:
        return records.find(reference)
    except NotFound as error:
        remedy = error.remedy or f"The latest runs: {called.command('list')}"
        raise NotFound(error.message, remedy=remedy, code=error.code) from None


def networks_of(records: Records, gates: Iterable[Json]) -> Mapping[str, str]:
    """The networks of these gates' runs, by run, if there are several; of another person's run nothing is said."""
    found: dict[str, str] = {}
    for run in dict.fromkeys(gate["run"] for gate in gates):
        with suppress(NotFound):
            found[run] = records.find(run)["network"]
    return found if len(set(found.values())) > 1 else {}

"""Tools on the sales database."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from entracte.agents import Prepared, ToolContext, tool
from sales.changes import begin_change, end_change, fingerprint, known_change, revert_change, rows_of
from sales.database import TABLES, transaction
from sales.deps import Sales
from sales.statement import execute, guarded, rehearse, written_tables

MAX_ROWS = 50
"""Rows of a result that are shown."""

Sql = Annotated[str, Field(min_length=1, max_length=5000, description="One statement in SQLite's dialect.")]


class Table(BaseModel):
    """One table as it was made, with its comments, and how many rows it holds."""

    name: str
    sql: str
    rows: int


class Ran(BaseModel):
    """What a statement gave: rows if it read, else how many it changed, and the number of the change (0: none)."""

    rows: list[dict[str, Any]] = []
    more_rows: bool = False
    rows_changed: int = 0
    change: int = 0


@tool(effect="readonly", evaluation="Keep tables and columns as facts: sql is to be asked in these words.")
def describe_database(ctx: ToolContext[Sales]) -> list[Table]:
    """Show the tables of the sales database."""
    with transaction(ctx.deps.database) as connection:
        return [
            Table(
                name=table,
                sql=connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()["sql"],
                rows=connection.execute(f"SELECT count(*) AS n FROM {table}").fetchone()["n"],
            )
            for table in TABLES
        ]


def _rehearsed(arguments: dict[str, Any], ctx: ToolContext[Sales]) -> Prepared:
    """The call, and the rows that it would change: what cannot run is refused before a person is asked."""
    with guarded(ctx.deps.database) as connection:
        tables = written_tables(connection, arguments["sql"])
        return Prepared(arguments=arguments, diff=rehearse(connection, arguments["sql"], tables) if tables else ())


@tool(
    evaluation="The rows answer the question that was asked: right columns, right period, right unit. No rows: look "
    "whether the condition is spelled as the table has it. A change: as many rows as were selected before.",
    idempotent=True,
    prepare=_rehearsed,
)
def run_sql(ctx: ToolContext[Sales], sql: Sql) -> Ran:
    """Run one SELECT, INSERT, UPDATE or DELETE on the sales database.

    At most 50 rows are shown. A statement that changes rows waits for a person first.
    """
    with guarded(ctx.deps.database) as connection:
        if not written_tables(connection, sql):
            found = execute(connection, sql).fetchmany(MAX_ROWS + 1)
            return Ran(rows=[dict(row) for row in found[:MAX_ROWS]], more_rows=len(found) > MAX_ROWS)
        if (known := known_change(connection, ctx.idempotency_key)) is not None:
            return Ran(change=known[0], rows_changed=known[1])
        change = begin_change(connection, ctx.idempotency_key)
        rows = [dict(row) for row in execute(connection, sql)]  # of RETURNING
        changed = end_change(connection, change)
        return Ran(rows=rows[:MAX_ROWS], more_rows=len(rows) > MAX_ROWS, rows_changed=changed, change=change)


@tool(effect="readonly")
def read_written(ctx: ToolContext[Sales], sql: Sql) -> dict[str, str]:
    """Read what is in the tables that a statement writes, in short. For the policy, not for agents."""
    with guarded(ctx.deps.database) as connection:
        return {table: fingerprint(rows_of(connection, table)) for table in written_tables(connection, sql)}


@tool(idempotent=True)
def take_back(ctx: ToolContext[Sales], change: Annotated[int, Field(ge=0)]) -> int:
    """Put the rows of a change back, and say how many; a statement that wrote none has change 0. Not for agents."""
    if change == 0:
        return 0
    with guarded(ctx.deps.database) as connection:
        return revert_change(connection, change)

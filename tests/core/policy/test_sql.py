"""The heuristic of `gate: on_write` (sql.py)."""

import logging

import pytest
from hypothesis import given, settings, strategies as st

from entracte.core.policy.sql import MAX_CHARACTERS, MAX_TEXTS, only_reads, verdict


@pytest.mark.parametrize(
    "text",
    """
    SELECT 1
    SELECT 1;
    SELECT 1; -- done
    (SELECT 1)
    select * from t where a = 'x; DELETE FROM t'
    SELECT 'it''s' FROM t
    WITH x AS (SELECT 1) SELECT * FROM x
    SELECT 1 UNION SELECT 2 ORDER BY 1
    SELECT count(*) FROM t GROUP BY 1 HAVING count(*) > 3
    SELECT truncate(1.5, 1) FROM t
    SELECT date(since), strftime('%Y', since), printf('%d', id), typeof(id), replace(a, 'x', 'y') FROM customers
    SELECT row_number() OVER (PARTITION BY a ORDER BY b DESC NULLS LAST) FROM t
    SELECT a->>'x', cast(b AS int), c::text, json_extract(d, '$.e') FROM t
    SELECT string_agg(a, ',') FROM t
    SELECT current_date, now(), version()
    SELECT t.update, t.set, "delete" FROM t
    SELECT a FROM t -- delete from t
    SELECT /* drop table t */ 1
    SELECT TOP 5 * FROM t
    SELECT a FROM t FETCH FIRST 3 ROWS ONLY
    SELECT * FROM `project.dataset.table`
    SELECT * FROM generate_series(1, 3)
    SELECT name FROM sqlite_master WHERE type = 'table'
    SELECT * FROM t WHERE id = ?
    SELECT * FROM t WHERE id = %s AND b = %(b)s
    SELECT * FROM t WHERE id = :id
    SELECT * FROM t WHERE id = $1
    SELECT * FROM t WHERE id = @id
    VALUES (1)
    TABLE t
    FROM t
    EXPLAIN SELECT 1
    EXPLAIN SELECT 1; -- done
    EXPLAIN QUERY PLAN SELECT 1
    EXPLAIN ANALYZE SELECT 1
    EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM t
    DESCRIBE t
    DESC a.b
    SHOW TABLES;
    SHOW CREATE TABLE t
    PRAGMA table_info(customers)
    PRAGMA main.table_info('x')
    PRAGMA table_info = customers
    """.strip().splitlines(),
)
def test_one_statement_that_reads_is_a_read(text):
    """In whatever dialect it is one."""
    assert verdict(text.strip()) == "read"


@pytest.mark.parametrize(
    "text",
    """
    DELETE FROM t
    INSERT INTO t SELECT 1
    update t set a = 1
    REPLACE INTO t VALUES (1)
    MERGE INTO t USING s ON 1 = 1 WHEN MATCHED THEN DELETE
    TRUNCATE TABLE t
    CREATE TABLE x AS SELECT 1
    GRANT ALL ON t TO x
    COPY t TO 'x'
    CALL x()
    EXEC sp_who
    DO $$ BEGIN END $$
    VACUUM
    REINDEX TABLE x
    ATTACH DATABASE 'x' AS y
    SET x = 1
    USE db
    BEGIN
    COMMIT
    (DELETE FROM t)
    ;DELETE FROM t
    PRAGMA user_version = 3
    PRAGMA journal_mode(wal)
    PRAGMA wal_checkpoint
    """.strip().splitlines(),
)
def test_what_begins_as_a_write_is_a_write(text):
    """Or what may be one: no list of harmless procedures is complete."""
    assert verdict(text.strip()) == "write"


@pytest.mark.parametrize(
    "text",
    [
        "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
        "WITH x AS (INSERT INTO t VALUES (1) RETURNING 1) TABLE x",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "SELECT * FROM (DELETE FROM t RETURNING *) x",
    ],
)
def test_a_data_changing_cte_is_a_write(text):
    """Though the whole may be a SELECT."""
    assert verdict(text) == "write"


@pytest.mark.parametrize(
    "text",
    [
        "EXPLAIN ANALYZE DELETE FROM t",
        "EXPLAIN (ANALYZE) UPDATE t SET a = 1",
        "EXPLAIN (ANALYZE, FORMAT JSON) WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
        "DESC ANALYZE DELETE FROM t",
        "EXPLAIN EXPLAIN ANALYZE DELETE FROM t",
        "EXPLAIN SELECT 1; DROP TABLE t",
        "EXPLAIN VACUUM",
        "EXPLAIN ANALYZE x",
        "EXPLAIN x y",
        "EXPLAIN DELETE FROM t",
        "EXPLAIN PLAN FOR SELECT 1",
    ],
)
def test_explain_analyze_of_a_write_is_a_write(text):
    """It is carried out. The last two are not, or only in a table of plans; in doubt they are held."""
    assert verdict(text) == "write"


@pytest.mark.parametrize(
    "text",
    ["SELECT * INTO b FROM a", "SELECT 1 INTO OUTFILE 'x'", "SELECT 1 UNION SELECT 2 INTO x", "SELECT 1 INTO @x"],
)
def test_select_into_is_a_write(text):
    """Into a table or a file."""
    assert verdict(text) == "write"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1; DELETE FROM t",
        "SELECT 1; SELECT 2",
        "SHOW TABLES; DROP TABLE t",
        "sp_who; DELETE FROM t",
        "SELECT 1 DELETE FROM t",
        "SELECT @@version SHUTDOWN WITH NOWAIT",
        "SELECT 1 EXEC sp_x",
        "SELECT 1\nGO\nDELETE FROM t",
        "GO\nDELETE FROM t",
        "GO\nKILL 7",
        "IF 1 = 1 DELETE FROM t",
    ],
)
def test_several_statements_are_a_write(text):
    """T-SQL needs no semicolon between them, and reads `SELECT 1 DELETE FROM t` as two."""
    assert verdict(text) == "write"


@pytest.mark.parametrize(
    "text",
    [
        "/*! DELETE FROM t */",
        "SELECT 1 /*!50000 INTO OUTFILE 'x' */",
        "SELECT 1 /*M! INTO OUTFILE 'x' */",
        "SELECT 1 --1; DELETE FROM t",
        "SELECT 'a\\'; DELETE FROM t; -- '",
        "SELECT $$; DELETE FROM t; $$",
        "# a comment here\nDELETE FROM t",
        "-- a comment everywhere\nDELETE FROM t",
        "SELECT 1 -- x\rDELETE FROM t",
        "SELECT /* /* */ 1; DELETE FROM t -- */",
        "\u00a0DELETE FROM t",
        "\u200bdelete from t",
        "\ufeffDELETE FROM t",
        "\u200bKILL 7",
    ],
)
def test_a_write_that_only_some_dialects_see_is_a_write(text):
    """Comments, quotes and blanks mean different things to different databases."""
    assert verdict(text) == "write"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT nextval('s')",
        "SELECT NEXT VALUE FOR s",
        "SELECT my_own_function(1)",
        "SELECT evil.count(1)",
        "SELECT * FROM evil.count(1)",
        "SELECT pg_terminate_backend(1)",
        "SELECT pg_sleep(9)",
        "SELECT load_extension('x')",
        "SELECT dblink_exec('x', 'DELETE FROM t')",
        "SELECT * FROM OPENROWSET('x', 'y', 'z')",
        "SELECT TRANSFORM(a) USING 'rm' FROM t",
        "SELECT * FROM t FOR UPDATE",
        "SELECT * FROM t FOR SHARE",
        "SELECT * FROM t LOCK IN SHARE MODE",
    ],
)
def test_a_read_that_does_more_than_read_is_a_write(text):
    """Functions that nobody knows may be anything, and locks keep others waiting."""
    assert verdict(text) == "write"


@pytest.mark.parametrize(
    "text",
    [
        "main", "hello world", "it's fine", "2024-01-01", "", "ada@example.com", "please select", "select", "delete",
        "a; b",
        "plan: Pro", '{"a": 1}', "17", "-- hi", "release candidate", "C:\\data\\crm.db",
    ],
)  # fmt: skip
def test_names_numbers_and_prose_are_no_sql(text):
    """The other arguments of a SQL runner."""
    assert verdict(text) == "no_sql"


@pytest.mark.parametrize("text", ["SELECT FROM WHERE ((", "Update the customer's plan", "show me the money"])
def test_what_begins_as_sql_and_cannot_be_parsed_is_unclear(text):
    """Of another dialect, or prose: nobody can be sure."""
    assert verdict(text) == "unclear"


@pytest.mark.parametrize("text", ["SELECT " + "(" * 300 + "1" + ")" * 300, "SELECT " + "[" * 300])
def test_what_is_nested_too_deeply_is_a_write(text):
    """The parser gives up, and so do we."""
    assert verdict(text) == "write"


@pytest.mark.parametrize(
    ("arguments", "through"),
    [
        ({"sql": "SELECT 1"}, True),
        ({"database": "main", "sql": "SELECT 1", "limit": 10, "params": ["Ada", None, 3]}, True),
        ({"queries": [{"sql": "SELECT 1"}, {"sql": "SELECT 2"}]}, True),
        ({"queries": [{"sql": "SELECT 1"}, {"sql": ["DELETE FROM t"]}]}, False),
        ({"sql": "DELETE FROM t", "note": "SELECT 1"}, False),
        ({"sql": "SELECT FROM WHERE ((", "note": "SELECT 1"}, False),
        ({"sql": "SELECT 1", "then": {"run": "DROP TABLE t"}}, False),
        ({"database": "main"}, False),
        ({}, False),
        ({"sql": 1}, False),
    ],
)
def test_a_call_is_let_through_if_all_its_sql_reads_and_there_is_some(arguments, through):
    """Every text counts, nested ones included; other texts are left alone."""
    assert only_reads(arguments) is through


def test_more_than_can_be_looked_at_is_held():
    """A long text takes long to parse, and hides much."""
    sql = "SELECT 1"
    assert only_reads({"sql": sql, "note": "x" * (MAX_CHARACTERS - len(sql))})
    assert not only_reads({"sql": sql, "note": "x" * (MAX_CHARACTERS - len(sql) + 1)})
    assert not only_reads({"sql": sql, "notes": [str(number) for number in range(MAX_TEXTS)]})


def test_the_parser_logs_nothing(caplog):
    """Arguments do not belong into logs."""
    with caplog.at_level(logging.DEBUG):
        for text in ("EXPLAIN ANALYZE SELECT 1", "SHOW TABLES", "CALL x()", "ALTER TABLE t FROB", "SELECT 1 FROB x y"):
            verdict(text)
    assert caplog.records == []


_PARTS = [
    "SELECT 1",
    "a FROM t",
    "DELETE FROM t",
    "(",
    ")",
    ";",
    "--",
    "/*",
    "*/",
    "'",
    '"',
    "$$",
    "\\",
    "\n",
    "WITH x AS (",
    "`",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(_PARTS), max_size=8).map(" ".join))
def test_any_text_gets_a_verdict(text):
    """Hostile text finds faults in any parser; none of them may come out."""
    assert verdict(text) in ("read", "write", "unclear", "no_sql")


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["DELETE FROM t", "DROP TABLE t", "UPDATE t SET a = 1"]),
    st.lists(st.sampled_from(_PARTS), max_size=4),
)
def test_a_write_after_a_read_is_never_let_through(write, parts):
    """Whatever stands between them, unless a dialect-independent comment or literal holds it."""
    text = f"SELECT 1 {' '.join(part for part in parts if part not in _HIDING)} {write}"
    assert verdict(text) != "read"


_HIDING = {"--", "/*", "'", '"', "$$", "`", "\\"}

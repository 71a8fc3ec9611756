"""Words of SQL dialects by which a statement that writes is told from one that reads."""

from __future__ import annotations

import re

READERS = frozenset("DESC DESCRIBE EXPLAIN FROM PRAGMA SELECT SHOW TABLE VALUES WITH".split())
"""A statement that begins with one of these may be a read."""

WRITERS = frozenset(
    """
    ABORT ALTER ANALYSE ANALYZE ATTACH BACKUP BEGIN BULK CACHE CALL CHECKPOINT CLUSTER COMMENT COMMIT COPY CREATE DBCC
    DEALLOCATE DECLARE DELETE DENY DETACH DISABLE DO DROP ENABLE EXEC EXECUTE EXPORT FLUSH GRANT IMPORT INSERT INSTALL
    KILL LOAD LOCK MERGE MSCK NOTIFY OPTIMIZE PREPARE PURGE REASSIGN RECONFIGURE REFRESH REINDEX RENAME REPAIR REPLACE
    RESET RESTORE REVERT REVOKE ROLLBACK SET SHUTDOWN TRUNCATE UNCACHE UNDROP UNLOAD UNLOCK UPDATE UPDATETEXT UPSERT
    USE VACUUM WAITFOR WRITETEXT XA
    """.split()
)
"""A statement that begins with one of these changes something, or may."""

ALONE = frozenset("ABORT BEGIN CHECKPOINT COMMIT RECONFIGURE ROLLBACK SHUTDOWN VACUUM".split())
"""Whole statements in one word. Other words alone are no statement but, say, the name of a column."""

INSIDE = frozenset(
    """
    ALTER BACKUP COMMIT CREATE DBCC DELETE DENY DROP EXEC EXECUTE GRANT INSERT INTO KILL MERGE RECONFIGURE RESTORE
    REVERT REVOKE ROLLBACK SAVE SET SHUTDOWN TRUNCATE UPDATE UPDATETEXT USE WAITFOR WRITETEXT
    """.split()
)
"""Within what seems to be a read. Data-changing CTEs, `SELECT … INTO`, `FOR UPDATE`; and T-SQL needs no semicolon, so
that ``SELECT 1 DELETE FROM t``, in other dialects a column with an alias, is two statements there."""

FUNCTIONS_TOO = frozenset({"TRUNCATE"})
"""Of the words inside, those that are harmless functions in some dialect."""

HIDDEN = re.compile(
    r"\b(?:(?:delete|merge|insert|truncate)\s+(?:from|into|overwrite|table)\b|update\s+\S+\s+set\b"
    r"|exec(?:ute)?\s*(?:\(|@|sp_|xp_)|(?:alter|create|drop)\s+(?:or\s+replace\s+)?"
    r"(?:database|function|index|procedure|role|schema|table|trigger|user|view)\b)",
    re.IGNORECASE,
)
"""A write inside a text that does not begin as SQL does, such as ``IF 1 = 1 DELETE FROM t``."""

EXECUTED_COMMENT = re.compile(r"/\*M?!")
"""MySQL and MariaDB execute what stands in such a comment.
https://dev.mysql.com/doc/refman/8.4/en/comments.html"""

EXPLAIN_OPTIONS = frozenset(
    """
    ANALYSE ANALYZE AST BUFFERS CODEGEN COST COSTS ESTIMATE EXTENDED FALSE FORMAT FORMATTED GENERIC_PLAN JSON LOGICAL
    OFF ON PIPELINE PLAN QUERY SETTINGS SUMMARY SYNTAX TEXT TIMING TRADITIONAL TREE TRUE TYPE VERBOSE WAL XML YAML
    """.split()
)
"""What may stand between EXPLAIN and its statement. Oracle's `EXPLAIN PLAN FOR` writes into a table: FOR is none."""

SHOWN = frozenset(
    """
    ALL CATALOGS CHARACTER COLLATION COLUMNS CREATE DATABASES ENGINES ERRORS EVENTS FIELDS FULL FUNCTIONS GRANTS INDEX
    INDEXES KEYS OBJECTS PARTITIONS PRIMARY PROCESSLIST ROLES SCHEMAS SEARCH_PATH SERVER_VERSION STATUS TABLE TABLES
    TERSE TRIGGERS USERS VARIABLES VIEWS WAREHOUSES WARNINGS
    """.split()
)
"""What SHOW shows, so that ``show me`` is none."""

READING_PRAGMAS = frozenset(
    """
    collation_list compile_options database_list foreign_key_check foreign_key_list function_list index_info
    index_list index_xinfo integrity_check module_list pragma_list quick_check table_info table_list table_xinfo
    """.split()
)
"""SQLite's pragmas that only read, whatever they are given. https://www.sqlite.org/pragma.html"""

READING_FUNCTIONS = frozenset(
    """
    age changes col_description current_database current_setting db_name every find_in_set format_type found_rows
    has_schema_privilege has_table_privilege inet_aton inet_ntoa json_array_elements json_array_elements_text
    json_array_length json_build_array json_build_object json_each json_each_text json_object_keys json_quote
    json_tree json_typeof json_valid jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_array_length
    jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_object_keys jsonb_pretty jsonb_typeof
    julianday last_insert_rowid likelihood likely obj_description object_name octet_length overlay pg_column_size
    pg_database_size pg_get_constraintdef pg_get_functiondef pg_get_indexdef pg_get_viewdef pg_indexes_size
    pg_is_in_recovery pg_relation_size pg_size_pretty pg_table_size pg_total_relation_size phraseto_tsquery
    plainto_tsquery printf quote quote_ident quote_literal row_count row_to_json scope_identity sqlite_version st_x
    st_y timediff to_jsonb to_regclass to_tsquery to_tsvector total total_changes ts_headline ts_rank unlikely version
    websearch_to_tsquery
    """.split()
)
"""Functions that only read and that the parser does not know by name. Any other may be somebody's own, and write."""

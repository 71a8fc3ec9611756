"""`gate: on_write`: whether a call's arguments hold SQL that only reads, for sure.

A heuristic for tools such as a raw SQL runner. Which database is behind the tool is not known, so a text has to be a
read in every dialect in which it can be parsed at all. In doubt it is a write: a needless question costs a minute, a
write that nobody was asked about may cost the data.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile
from typing import Any, Literal

from msgspec import Struct
from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import ErrorLevel, SqlglotError

from entracte.core.policy import sql_words as words
from entracte.core.policy.source import texts

MAX_TEXTS = 200
MAX_CHARACTERS = 20_000
"""In all texts of one call. What is more is not looked at, and so held."""

DIALECTS = ("postgres", "mysql", "sqlite", "tsql", "oracle", "bigquery", "snowflake", "duckdb", "clickhouse", "spark")

Verdict = Literal["read", "write", "unclear", "no_sql"]
"""Unclear: it begins as SQL does and cannot be parsed. Maybe it is of another dialect, maybe it is English."""

_NO_WORDS = {TokenType.STRING, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.NATIONAL_STRING, TokenType.RAW_STRING,
             TokenType.HEREDOC_STRING, TokenType.UNICODE_STRING, TokenType.BYTE_STRING}  # fmt: skip
_PUNCTUATION = {TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA, TokenType.EQ, TokenType.NUMBER}
_WRITING_NODES = (exp.DML, exp.DDL, exp.Command, exp.Into, exp.Lock, exp.NextValueFor, exp.QueryTransform)


class _Reading(Struct, frozen=True):
    """What a text is in one dialect, and the functions in it that the dialect does not know."""

    verdict: Verdict
    unknown: frozenset[str] = frozenset()


def only_reads(arguments: Mapping[str, Any]) -> bool:
    """Whether at least one text in the arguments is SQL, and every one that is consists of one reading statement."""
    found = {text for _, text in texts(arguments)}
    if len(found) > MAX_TEXTS or sum(map(len, found)) > MAX_CHARACTERS:
        return False
    verdicts = {verdict(text) for text in found}
    return "read" in verdicts and verdicts <= {"read", "no_sql"}


def verdict(text: str) -> Verdict:
    """What a text is, whatever the dialect."""
    if words.EXECUTED_COMMENT.search(text):
        return "write"
    text = "".join(map(_visible, text))
    readings = [_reading(text, Dialect.get_or_raise(name)) for name in DIALECTS]
    verdicts = {reading.verdict for reading in readings}
    if "write" in verdicts:
        return "write"
    if "read" in verdicts:
        known_nowhere = frozenset.intersection(*(r.unknown for r in readings if r.verdict == "read"))
        return "write" if known_nowhere else "read"
    if "unclear" in verdicts:
        return "unclear"
    return "write" if words.HIDDEN.search(text) else "no_sql"


def _visible(character: str) -> str:
    """Databases skip odd spaces and marks before a statement; so do we."""
    return character if character in "\n\r\t" or unicodedata.category(character)[0] not in "CZ" else " "


def _reading(text: str, dialect: Dialect) -> _Reading:
    try:
        tokens = dialect.tokenize(text)
    except SqlglotError:  # a quote that does not end: it's English, or broken SQL
        first, _, rest = text.lstrip(" \t\r\n;(").partition(" ")
        return _Reading("unclear" if first.upper() in words.READERS | words.WRITERS and rest.strip() else "no_sql")
    statements = list(_statements(tokens))
    starts = [_start(statement) for statement in statements]
    if not any(starts):
        return _Reading("no_sql")
    if len(statements) > 1 or starts[0] in words.WRITERS:
        return _Reading("write")
    tokens = _unwrapped(statements[0])
    rest = text[tokens[0].end + 1 :]
    match starts[0]:
        case "EXPLAIN" | "DESCRIBE" | "DESC":
            return _explained(rest, dialect)
        case "SHOW":
            return _shown(rest, dialect)
        case "PRAGMA":
            return _pragma(tokens[1:])
        case _:
            return _query(statements[0], text, dialect)


def _statements(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Runs of tokens between semicolons; GO ends a batch in T-SQL's tools."""
    statement: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON or _word(token) == "GO":
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _start(statement: Sequence[Token]) -> str:
    """The word that begins a statement, if it is one that begins statements, else nothing."""
    tokens = _unwrapped(statement)
    word = _word(tokens[0]) if tokens else ""
    is_whole = len(tokens) > 1 or word in words.ALONE
    return word if is_whole and word in words.READERS | words.WRITERS else ""


def _unwrapped(statement: Sequence[Token]) -> list[Token]:
    return list(dropwhile(lambda token: token.token_type is TokenType.L_PAREN, statement))


def _word(token: Token) -> str:
    """The first word of an unquoted token, in upper case."""
    return "" if token.token_type in _NO_WORDS else token.text.upper().partition(" ")[0]


def _writes_inside(tokens: Sequence[Token], *, allowed: frozenset[str] = frozenset()) -> bool:
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        if token.token_type in _NO_WORDS or (before is not None and before.token_type is TokenType.DOT):
            continue
        is_call = after is not None and after.token_type is TokenType.L_PAREN
        found = set(token.text.upper().split()) & words.INSIDE - allowed
        if found and not (is_call and found <= words.FUNCTIONS_TOO):
            return True
    return False


def _explained(rest: str, dialect: Dialect) -> _Reading:
    """`EXPLAIN` of a read, also one that is carried out, is a read; so is `DESCRIBE` of a table."""
    tokens = next(_statements(dialect.tokenize(rest)), [])
    if _is_name(tokens):
        return _Reading("read")
    for index, token in enumerate(tokens):
        word = _word(token)
        if word in words.READERS - {"EXPLAIN", "DESCRIBE", "DESC", "TABLE"}:
            return _query(tokens[index:], rest, dialect)
        if token.token_type not in _PUNCTUATION and word not in words.EXPLAIN_OPTIONS:
            return _Reading("write")
    return _Reading("unclear")


def _is_name(tokens: Sequence[Token]) -> bool:
    """``customers`` or ``sales.customers``."""
    names = all(token.token_type in (TokenType.VAR, TokenType.IDENTIFIER) for token in tokens[::2])
    dots = all(token.token_type is TokenType.DOT for token in tokens[1::2])
    return bool(tokens) and names and dots


def _shown(rest: str, dialect: Dialect) -> _Reading:
    tokens = next(_statements(dialect.tokenize(rest)), [])
    if not tokens or _word(tokens[0]) not in words.SHOWN:
        return _Reading("unclear")
    return _Reading("write" if _writes_inside(tokens, allowed=frozenset({"CREATE"})) else "read")


def _pragma(tokens: Sequence[Token]) -> _Reading:
    names = [token.text.lower() for token in tokens]
    name = names[2] if names[1:2] == ["."] and len(names) > 2 else names[0]
    return _Reading("read" if name in words.READING_PRAGMAS else "write")


def _query(tokens: Sequence[Token], text: str, dialect: Dialect) -> _Reading:
    if _writes_inside(tokens):
        return _Reading("write")
    try:
        parsed = dialect.parser(error_level=ErrorLevel.IMMEDIATE).parse(list(tokens), text)
    except RecursionError:
        return _Reading("write")
    except Exception:  # noqa: BLE001  # hostile text finds faults in any parser, and then nothing is sure
        return _Reading("unclear")
    root = parsed[0] if len(parsed) == 1 else None
    if not isinstance(root, (exp.Query, exp.Values)):
        return _Reading("unclear")
    nodes = list(root.walk())
    if any(isinstance(node, _WRITING_NODES) or _is_qualified_call(node) for node in nodes):
        return _Reading("write")
    called = {node.name.lower() for node in nodes if isinstance(node, exp.Anonymous)}
    return _Reading("read", frozenset(called - words.READING_FUNCTIONS))


def _is_qualified_call(node: exp.Expr) -> bool:
    """``evil.count(1)``: a function in a schema is somebody's own, whatever its name."""
    match node:
        case exp.Anonymous(parent=exp.Dot()):
            return True
        case exp.Table(this=exp.Func()):
            return node.args.get("db") is not None
        case _:
            return False

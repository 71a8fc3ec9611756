"""The commands on the sample network, as processes with pipes (entracte.cli)."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Done, Shell, new_shell

QUESTION = "Which plan is Ada Lovelace on, and since when?"
ANSWER = "Ada Lovelace is on the Free plan, and a customer since 2019-12-10."
RECORD = '{"customers": [{"country": "United Kingdom", "email": "ada@analytical-engines.example", "id": 17, '


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Shell, Done]:
    """A folder in which the question was asked, and what that printed."""
    shell = new_shell(tmp_path_factory.mktemp("asked"))
    return shell, shell.run("run", QUESTION)


@pytest.fixture(scope="module")
def run(asked: tuple[Shell, Done]) -> str:
    """Id of that run, as its progress names it."""
    found = re.search(r"run ([0-9a-f]{20}) · session", asked[1].err)
    assert found is not None, asked[1].err
    return found[1]


def test_the_answer_alone_goes_to_standard_output(asked: tuple[Shell, Done]):
    """So that `answer=$(entracte run …)` holds the answer."""
    assert (asked[1].code, asked[1].out) == (0, f"{ANSWER}\n")


def test_progress_is_plain_lines_that_name_agent_and_phase(asked: tuple[Shell, Done], run: str):
    """Each line can be understood by itself, as in a log; figures are left out here."""
    lines = [re.sub(r"  [\d,]+ tokens$", "", line) for line in asked[1].err.splitlines()]
    assert lines[0].startswith(f"desk               start       run {run} · session ")
    expected = [
        "desk               plan 1      · Records knows customers.",
        'desk               plan 1      → records(message="Which plan is Ada Lovelace on, and since when is she ',
        "  records          plan 1      · The database has to be asked.",
        '  records          plan 1      → search_customers(query="Ada Lovelace")',
        f"  records          execute 1   ✓ search_customers  {RECORD}",
        f"  records          evaluate 1  facts F_001  {ANSWER}",
        "  records          evaluate 1  evidences E_001  Record of customer 17: plan Free, since 2019-12-10.",
        f"desk               execute 1   ✓ records  {ANSWER}",
    ]
    assert [line[: len(whole)] for line, whole in zip(lines[1:-1], expected, strict=True)] == expected


def test_the_last_line_names_what_was_used_and_a_command_that_runs(asked: tuple[Shell, Done], run: str):
    """Id, status, steps, calls, tokens, time, and what to type next."""
    shell, done = asked
    closing = re.fullmatch(
        rf"run {run} succeeded · 4 steps · 2 calls · [\d,]+ tokens · [\d.]+ s · (?P<program>\S+) show {run[:8]}",
        done.err.splitlines()[-1],
    )
    assert closing is not None, done.err
    assert (shell.folder / closing["program"]).resolve().name == "entracte" or closing["program"] == "entracte"


def test_show_prints_the_newest_run_as_a_tree(asked: tuple[Shell, Done], run: str):
    """What was asked, each agent's steps with their calls, the state, the answer."""
    head, _, body = asked[0].run("show").out.partition("\n\n")
    assert head.splitlines()[:2] == [f"run {run}  succeeded", f"asked     {QUESTION}"]
    assert "used      4 steps, 2 calls, " in head
    expected = [
        "desk",
        "├── step 1",
        '│   └── ✓ records(message="Which plan is Ada Lovelace on, and since when is she a customer?")',
        "│       ├── step 1.0.1",
        '│       │   └── ✓ search_customers(query="Ada Lovelace")',
        f"│       │       ├── {RECORD}",
        "│       │       └── ok: The one hit is the person who was asked about.",
        "│       ├── step 1.0.2  answered",
        f"│       └── {ANSWER}",
        "└── step 2  answered",
        "",
        "state of the session, as it is now",
        "facts",
        f"  F_001  {ANSWER}",
        "evidences",
        "  E_001  Record of customer 17: plan Free, since 2019-12-10.",
        "",
        "answer",
        ANSWER,
    ]
    # A result is cut at the edge of the page: so much of each line is compared as there is of the expected one.
    assert [line[: len(whole)] for line, whole in zip(body.splitlines(), expected, strict=True)] == expected


def test_a_step_is_shown_in_full_by_the_name_that_the_tree_gives_it(asked: tuple[Shell, Done], run: str):
    """And the run by the beginning of its id."""
    done = asked[0].run("show", run[:6], "--step", "1.0.1")
    assert done.out.startswith(f"step 1.0.1 of records, run {run}\n")
    for part in (
        "\n  The database has to be asked.\n",
        f"  applied, readonly, 0.0 s  {run}.1.0.1.0\n",
        '\n  arguments: {"query": "Ada Lovelace"}\n',
        '\n          "plan": "Free",\n',
        "\n  verdict: ok. The one hit is the person who was asked about.\n",
        f"\n  facts F_001  {ANSWER}\n",
    ):
        assert part in done.out


def test_journal_as_json_is_one_entry_a_line(asked: tuple[Shell, Done], run: str):
    """Each of which is JSON, from the start of the run to its end."""
    entries = [json.loads(line) for line in asked[0].run("journal", "--json", run).out.splitlines()]
    assert (entries[0]["id"], entries[-1]["events"][-1]["type"]) == (f"{run}.started", "run.ended")


def test_list_pages_by_the_command_that_it_prints(asked: tuple[Shell, Done], run: str):
    """Rows have no blanks at their end, and the hint can be typed as it stands."""
    shell = asked[0]
    newer = json.loads(shell.run("run", "--json", "Anything else?").out)["id"]
    first = shell.run("list", "--limit", "1")
    row = r"{}  succeeded  \d+ s  desk    +[\d,]+  {}"
    assert re.fullmatch(
        "run       status     age  agent  tokens  asked\n" + row.format(newer[:8], r"Anything else\?\n"), first.out
    )
    hint = re.fullmatch(r"There may be more: \S+ (list --limit 1 --after [0-9a-f]+)\n", first.err)
    assert hint is not None, first.err
    second = shell.run(*hint[1].split())
    assert re.fullmatch(row.format(run[:8], re.escape(QUESTION)), second.out.splitlines()[1])


def test_a_conversation_from_a_pipe_answers_in_one_session(tmp_path: Path):
    """A line is a run; a line of JSON is its answer."""
    talk = f"{QUESTION}\n\n/new\n{QUESTION}\nand again\n/quit\nnot read\n"
    done = new_shell(tmp_path).run("chat", "--json", stdin=talk)
    runs = [json.loads(line) for line in done.out.splitlines()]
    assert (done.code, done.err, [run["status"] for run in runs]) == (0, "A new session begins.\n", ["succeeded"] * 3)
    assert runs[0]["session"] != runs[1]["session"] == runs[2]["session"]

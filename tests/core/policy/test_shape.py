"""Keys and types of a manifest (shapes.py, fitting.py, fault_words.py)."""

import pytest

from entracte.core.policy.faults import MAX_FAULTS
from entracte.core.policy.rule import InverseRule, Rule, SnapshotRule
from entracte.core.policy.server import CommandServer, UrlServer
from entracte.core.template import Template
from tests.core.policy.manifests import EXAMPLE, faults, read, rule, rule_faults

ROOTS = ("$", "$snapshot", "$result")


def test_the_manifest_of_the_design_is_read():
    """Every key of it, with what it means."""
    manifest = read(EXAMPLE, CRM_TOKEN="t")
    assert manifest.servers == {
        "crm": CommandServer(command="python", args=("-m", "crm.server"), env={"TOKEN": "${CRM_TOKEN}"}),
        "web": UrlServer(url="https://crm.example/mcp", headers={"Authorization": "Bearer ${CRM_TOKEN}"}),
    }
    restored = {"id": "$.id", "name": "$snapshot.name", "plan": "$snapshot.plan"}
    assert manifest.rules == (
        Rule(match="crm.get_customer", tool_class="readonly", gate="never", path=("tools", 0)),
        Rule(
            match="crm.update_customer",
            tool_class="reversible",
            gate="never",
            snapshot=SnapshotRule(
                tool="crm.get_customer", args=Template.parse({"id": "$.id"}, ROOTS), absent_when="not found"
            ),
            inverse=InverseRule(tool="crm.update_customer", args=Template.parse(restored, ROOTS)),
            ignore=("updated_at",),
            idempotent=True,
            timeout_s=30,
            path=("tools", 1),
        ),
        Rule(
            match="crm.create_customer",
            tool_class="compensable",
            gate="never",
            inverse=InverseRule(
                tool="crm.delete_customer", args=Template.parse({"id": "$result.id"}, ROOTS), absent_when="not found"
            ),
            path=("tools", 2),
        ),
        Rule(
            match="crm.send_*",
            tool_class="irreversible",
            gate="always",
            approvers=("ops@example.com",),
            four_eyes=True,
            editable=True,
            question=Template.parse("Send this mail to $.to?", ROOTS),
            path=("tools", 3),
        ),
    )


def test_a_manifest_may_say_nothing_of_tools():
    """Then all of them are irreversible."""
    assert read("version: 1").rules == ()


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["class: sometimes"], "4:12: tools[0].class, expected 'readonly', 'reversible', 'compensable' or "
         "'irreversible', found 'sometimes'"),
        (["class: readonly", "gate: yes"], "5:11: tools[0].gate, expected 'always', 'on_write' or 'never', "
         "found 'yes'"),
        (["class: readonly", "gate: true"], "5:11: tools[0].gate, expected 'always', 'on_write' or 'never', "
         "found true"),
        (["class: readonly", "gate:"], "5:5: tools[0].gate, expected a value, or no such key, found nothing"),
        (["class: readonly", "timeout: 30"], "5:14: tools[0].timeout, expected text, in quotes if need be, found 30"),
        (["class: readonly", "idempotent: 'true'"], "5:17: tools[0].idempotent, expected true or false, found 'true'"),
        (["class: readonly", "four_eyes: 1"], "5:16: tools[0].four_eyes, expected true or false, found 1"),
        (["class: readonly", "editable: yes"], "5:15: tools[0].editable, expected true or false, found 'yes'"),
        (["class: readonly", "ignore: updated_at"], "5:13: tools[0].ignore, expected a list, found 'updated_at'"),
        (["class: readonly", "approvers: {a: b}"], "5:16: tools[0].approvers, expected a list, found a mapping"),
        (["class: readonly", "snapshot: get"], "5:15: tools[0].snapshot, expected a mapping, found 'get'"),
        (["class: readonly", "merge: all"], "5:12: tools[0].merge, expected 'fields', found 'all'"),
        (["class: readonly", "on_expiry: approve", "expires: 7d"], "5:16: tools[0].on_expiry, expected 'deny', "
         "found 'approve'"),
        (["class: readonly", "quorum: 0"], "5:13: tools[0].quorum, expected 1 or more, found 0"),
        (["class: readonly", "quorum: 1.0"], "5:13: tools[0].quorum, expected a whole number, found 1.0"),
        (["class: readonly", "quorum: true"], "5:13: tools[0].quorum, expected a whole number, found true"),
        (["class: readonly", "question: ''"], "5:15: tools[0].question, expected text that is not empty, found ''"),
        (["class: readonly", "approvers: [ops]"], "5:17: tools[0].approvers[0], expected an e-mail address, "
         "found 'ops'"),
        (["class: readonly", "approvers: ['a@b.example, c@d.example']"], "5:17: tools[0].approvers[0], expected an "
         "e-mail address, found 'a@b.example, c@d.example'"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_a_fault_that_says_what_was_expected_and_found(lines, fault):
    """Types are not guessed: a number where a text should be may be a slip."""
    assert rule_faults(*lines) == [fault]


@pytest.mark.parametrize("duration", ["30", "0s", "030s", "-1s", "1.5h", "5 m", "5min", "1h30m", "1w", "5M", "s", ""])
def test_a_bad_duration_is_a_fault(duration):
    """Whole numbers of one unit, so that nobody has to guess what 30 means."""
    found = f"'{duration}', " if duration else "'', "
    assert rule_faults("class: readonly", f"timeout: '{duration}'", f"expires: '{duration}'") == [
        f"5:14: tools[0].timeout, expected a duration such as 30s, 5m, 2h or 7d, found {found}".removesuffix(", "),
        f"6:14: tools[0].expires, expected never, or a duration such as 30s, 5m, 2h or 7d, found {found}".removesuffix(
            ", "
        ),
    ]


@pytest.mark.parametrize(("duration", "seconds"), [("30s", 30), ("5m", 300), ("2h", 7200), ("7d", 604800)])
def test_durations_are_seconds_minutes_hours_or_days(duration, seconds):
    """Timeouts and expiries alike."""
    found = rule("class: irreversible", f"timeout: {duration}", f"expires: {duration}", "on_expiry: deny")
    assert (found.timeout_s, found.expires_s) == (seconds, seconds)


def test_an_unknown_key_is_a_fault_that_names_the_nearest():
    """An idempotnet that is ignored would be found after a crash."""
    keys = (
        "approvers, class, editable, expires, four_eyes, gate, idempotent, ignore, inverse, match, merge, on_expiry, "
        "question, quorum, snapshot, timeout"
    )
    assert rule_faults("class: readonly", "idempotnet: true", "xyz: 1", "version: 1") == [
        f"5:5: tools[0].idempotnet: unknown key, expected idempotent (or one of {keys}), found 'idempotnet'",
        f"6:5: tools[0].xyz: unknown key, expected one of {keys}, found 'xyz'",
        f"7:5: tools[0].version: unknown key, expected one of {keys}, found 'version'",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("version: 1\nrules: []", "2:1: rules: unknown key, expected one of servers, tools, version, found 'rules'"),
        ("version: 1\nservers: {x: {command: a, cwd: b}}", "2:27: servers.x.cwd: unknown key, "
         "expected one of args, command, env, headers, url, found 'cwd'"),
        ("version: 1\ntools: [{match: a, class: irreversible, snapshot: {tool: b, arg: c}}]", "2:61: "
         "tools[0].snapshot.arg: unknown key, expected args (or one of absent_when, args, tool), found 'arg'"),
    ],
)  # fmt: skip
def test_unknown_keys_are_faults_at_every_level(text, fault):
    """But not below args: those are the tool's."""
    assert faults(text) == [fault]


@pytest.mark.parametrize("version", ["2", "1.0", "'1'", "true", "0", ""])
def test_another_version_is_a_fault(version):
    """A later format may mean something else by the same keys."""
    [fault] = faults(f"version: {version}\n")
    assert fault.startswith("1:") and ": version, expected 1, found " in fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("tools: []", "1:1: version is missing, expected version: 1, found only tools"),
        ("version: 1\ntools: [{class: readonly}]", "2:9: tools[0].match is missing, expected match: "
         "the name of a tool, "
         "in which * stands for any run of characters but dots, found only class"),
        ("version: 1\ntools: [{}]", "2:9: tools[0].class is missing, expected class: readonly, reversible, compensable "
         "or irreversible, found nothing"),
        ("version: 1\ntools: [{match: a, class: compensable, inverse: {args: {}}}]", "2:49: tools[0].inverse.tool is "
         "missing, expected tool: the exact name of a tool, found only args"),
    ],
)  # fmt: skip
def test_a_missing_key_is_a_fault_at_what_should_hold_it(text, fault):
    """The place is where to write it."""
    assert fault in faults(text)


@pytest.mark.parametrize(
    "pattern", ["a", "*", "*.*", "crm.*", "crm.send_*", "c*m.s*d_*", "a.b.c", "fs:read-file", "読む"]
)
def test_names_and_patterns_of_tools(pattern):
    """Tools of servers may have dots of their own."""
    assert read(f"{{version: 1, tools: [{{match: '{pattern}', class: readonly}}]}}").rules[0].match == pattern


@pytest.mark.parametrize(
    "pattern", ["", " a", "a b", "a.", ".a", "a..b", "**", "a**b", "a?", "[ab]", "{a,b}", "${A}", "a\\n"]
)
def test_what_cannot_be_a_pattern_is_a_fault(pattern):
    """Only * is a wildcard: another sign of the shell would silently match nothing."""
    [fault] = faults(f'{{version: 1, tools: [{{match: "{pattern}", class: readonly}}]}}')
    assert ": tools[0].match, expected the name of a tool, in which * stands for any run of" in fault


@pytest.mark.parametrize("key", ["snapshot", "inverse"])
@pytest.mark.parametrize("name", ["get_*", "*", "a.*.b", "a b", "a..b"])
def test_a_glob_where_an_exact_name_is_needed_is_a_fault(key, name):
    """Of several tools, which should be called?"""
    lines = {"snapshot": "snapshot: {tool: get}", "inverse": "inverse: {tool: put}"} | {
        key: f"{key}: {{tool: '{name}'}}"
    }
    [fault] = rule_faults("class: reversible", *lines.values())
    assert fault.endswith(
        f": tools[0].{key}.tool, expected the exact name of a tool, such as crm.get_customer, found '{name}'"
    )


@pytest.mark.parametrize(
    ("servers", "fault"),
    [
        ("{a.b: {command: x}}", "2:11: servers.a.b: the name, expected the name of a server, without dots, "
         "found 'a.b'"),
        ("{a*: {command: x}}", "2:11: servers.a*: the name, expected the name of a server, without dots, found 'a*'"),
        ("{a: python}", "2:14: servers.a, expected a mapping, found 'python'"),
        ("[a]", "2:10: servers, expected a mapping, found a list"),
        ("{a: {command: [python, -m]}}", "2:24: servers.a.command, expected text, in quotes if need be, found a list"),
        ("{a: {command: x, args: -m}}", "2:33: servers.a.args, expected a list, found '-m'"),
        ("{a: {command: x, args: [8080]}}", "2:34: servers.a.args[0], expected text, in quotes if need be, found 8080"),
        ("{a: {command: x, env: {P: 1}}}", "2:36: servers.a.env.P, expected text, in quotes if need be, found 1"),
        ("{a: {url: crm.example}}", "2:20: servers.a.url, expected a URL that begins with https:// or http://, "
         "found 'crm.example'"),
    ],
)  # fmt: skip
def test_a_server_of_the_wrong_shape_is_a_fault(servers, fault):
    """Environment variables are texts, and a name may have no dot: the first dot splits server from tool."""
    assert faults(f"version: 1\nservers: {servers}") == [fault]


def test_all_faults_are_found_at_once():
    """In the order of the file, whichever check finds them."""
    found = faults("""\
        version: 3
        servers: {crm: {command: x, env: {T: "${T}"}}}
        tools:
          - match: a?
            class: readonly
            quorum: 0
            inverse: {tool: b, args: {id: $.a..b}}
          - not a rule
          - {match: c, class: compensable, snapshot: {tool: d, args: {id: $result.id}}, timeout: soon}
          - {match: c, class: compensable, inverse: {tool: e}, inverse: {tool: f}}
        """)
    assert [fault.partition(", expected")[0] for fault in found] == [
        "1:10: version",
        "2:38: servers.crm.env.T: the variable T is not set",
        "4:12: tools[0].match",
        "6:13: tools[0].quorum",
        "7:14: tools[0].inverse: an inverse",
        "7:35: tools[0].inverse.args.id: a malformed template: '$.a..b' "
        "goes on with something else than .field, [0] or []",
        "8:5: tools[1]",
        "9:5: tools[2]: a compensable tool without inverse",
        "9:67: tools[2].snapshot.args.id: $result is not known here",
        "9:90: tools[2].timeout",
        "10:13: tools[3].match: a duplicate",
        "10:56: the key 'inverse' again",
    ]


def test_an_unknown_key_hides_no_other_fault():
    """Also one that is known elsewhere."""
    assert [fault.partition(",")[0] for fault in rule_faults("class: reversible", "version: 1", "tool: x")] == [
        "3:5: tools[0]: a reversible tool without inverse",
        "5:5: tools[0].version: unknown key",
        "6:5: tools[0].tool: unknown key",
    ]


def test_a_faulty_value_is_not_reported_again_for_what_follows_from_it():
    """An inverse of the wrong shape is no missing inverse."""
    assert rule_faults("class: reversible", "inverse: put", "ignore: [a..b]", "snapshot: 3") == [
        "5:14: tools[0].inverse, expected a mapping, found 'put'",
        "6:14: tools[0].ignore[0]: a malformed path, expected a field such as updated_at or meta.etag, found 'a..b'",
        "7:15: tools[0].snapshot, expected a mapping, found 3",
    ]


def test_more_faults_than_anyone_reads_are_counted():
    """The error stays readable."""
    with pytest.raises(Exception, match="… and 50 more faults") as caught:
        read("version: 1\ntools: [" + ", ".join(["x"] * (MAX_FAULTS + 50)) + "]")
    assert len(str(caught.value).splitlines()) == MAX_FAULTS + 1

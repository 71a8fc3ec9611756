"""What the keys of a rule ask of each other (coherence.py)."""

import pytest

from entracte.core.policy.calling import says_absent
from tests.core.policy.manifests import INVERSE, SNAPSHOT, faults, read, rule, rule_faults


@pytest.mark.parametrize(
    ("tool_class", "gate"),
    [("readonly", "never"), ("reversible", "never"), ("compensable", "never"), ("irreversible", "always")],
)
def test_gate_defaults_to_always_for_irreversible_else_never(tool_class, gate):
    """What cannot be undone is asked about first."""
    inverse = ["inverse: {tool: put}"] if tool_class in ("reversible", "compensable") else []
    assert rule(f"class: {tool_class}", *inverse).gate == gate


@pytest.mark.parametrize("gate", ["always", "on_write", "never"])
@pytest.mark.parametrize("tool_class", ["readonly", "reversible", "compensable", "irreversible"])
def test_a_gate_may_stand_on_any_class(tool_class, gate):
    """Also never on what is irreversible: somebody wrote it down."""
    inverse = ["inverse: {tool: put}"] if tool_class in ("reversible", "compensable") else []
    assert rule(f"class: {tool_class}", f"gate: {gate}", *inverse).gate == gate


@pytest.mark.parametrize("tool_class", ["reversible", "compensable"])
def test_reversible_and_compensable_need_an_inverse(tool_class):
    """Else they would be irreversible."""
    assert rule_faults(f"class: {tool_class}") == [
        f"3:5: tools[0]: a {tool_class} tool without inverse, expected inverse: {{tool: …, args: …}}, found none"
    ]


@pytest.mark.parametrize(("tool_class", "why"), [("readonly", "changes nothing"), ("irreversible", "cannot be undone")])
def test_readonly_and_irreversible_must_not_have_an_inverse(tool_class, why):
    """Which of the two is meant?"""
    assert rule_faults(f"class: {tool_class}", "inverse: {tool: put}") == [
        f"5:14: tools[0].inverse: an inverse, expected none, since a tool that is {tool_class} {why}, "
        "found one that calls put"
    ]


def test_readonly_must_not_have_a_snapshot():
    """There is no prior state to keep."""
    assert rule_faults("class: readonly", SNAPSHOT) == [
        "5:15: tools[0].snapshot: a snapshot, expected none, since a tool that is readonly changes nothing, "
        "found one that calls get"
    ]


def test_irreversible_may_have_a_snapshot():
    """It shows the approver what is there now."""
    found = rule("class: irreversible", SNAPSHOT)
    assert found.snapshot is not None and found.snapshot.tool == "get"


def test_a_snapshot_is_required_when_the_inverse_refers_to_it():
    """Else the inverse could never be resolved."""
    assert rule_faults("class: reversible", INVERSE) == [
        "5:49: tools[0].inverse.args.name: $snapshot is not known here, "
        "expected a snapshot in this rule, for $snapshot to refer to, found '$snapshot.name'"
    ]
    assert rule("class: reversible", SNAPSHOT, INVERSE).snapshot is not None


def test_an_inverse_that_does_not_refer_to_a_snapshot_needs_none():
    """Adding a label is undone by removing it."""
    assert rule("class: reversible", "inverse: {tool: unlabel, args: {id: $.id, label: $.label}}").snapshot is None


def test_exact_duplicates_of_match_are_faults():
    """Which of the two counts would depend on their order."""
    assert faults("""\
        version: 1
        tools:
          - {match: crm.*, class: readonly}
          - {match: "*.*", class: readonly}
          - {match: 'crm.*', class: irreversible}
          - {match: "crm.*", class: irreversible}
        """) == [
        "5:13: tools[2].match: a duplicate, expected each match once, found 'crm.*' in tools[0] too",
        "6:13: tools[3].match: a duplicate, expected each match once, found 'crm.*' in tools[0] too",
    ]


def test_fields_to_ignore_need_a_snapshot():
    """Without one there is nothing to compare."""
    assert rule_faults("class: compensable", "inverse: {tool: put}", "ignore: [updated_at]") == [
        "6:13: tools[0].ignore: fields to ignore, expected a snapshot, without which drift is not looked for, "
        "found none"
    ]


@pytest.mark.parametrize("field", ["updated_at", "meta.etag", "items[].etag", "items[0]", "first-name"])
def test_fields_to_ignore_are_paths_into_the_snapshot(field):
    """The paths of templates, without the root."""
    assert rule("class: reversible", SNAPSHOT, INVERSE, f"ignore: ['{field}']").ignore == (field,)


@pytest.mark.parametrize("field", ["$.a", ".a", "a.", "a..b", "a b", "a[", "a[-1]", "[0]", "*"])
def test_a_malformed_path_to_ignore_is_a_fault(field):
    """It would be compared after all, and stop an undo."""
    assert rule_faults("class: reversible", SNAPSHOT, INVERSE, f"ignore: ['{field}']") == [
        f"7:14: tools[0].ignore[0]: a malformed path, expected a field such as updated_at or meta.etag, found '{field}'"
    ]


def test_a_field_to_ignore_twice_is_a_fault():
    """One of them was meant to be another."""
    assert rule_faults("class: reversible", SNAPSHOT, INVERSE, "ignore: [a, b, a]") == [
        "7:13: tools[0].ignore: a field twice, expected each field once, found 'a'"
    ]


def test_merge_fields_restores_only_what_the_call_changed():
    """What others changed since is left."""
    assert rule("class: reversible", SNAPSHOT, INVERSE, "merge: fields").merge_fields
    assert not rule("class: reversible", SNAPSHOT, INVERSE).merge_fields


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["class: compensable", "inverse: {tool: put}"], "no snapshot"),
        (["class: irreversible", SNAPSHOT], "no inverse"),
    ],
)
def test_merging_fields_needs_a_snapshot_and_an_inverse(lines, found):
    """There must be something to tell the changed fields by, and something that restores them."""
    [fault] = rule_faults(*lines, "merge: fields")
    assert fault == (
        "6:12: tools[0].merge: merging of fields, expected a snapshot and an inverse, to tell what the call changed, "
        f"found {found}"
    )


def test_a_quorum_of_more_people_than_may_approve_is_a_fault():
    """The gate could never open."""
    lines = ["class: irreversible", "approvers: [a@x.example, b@x.example]"]
    assert rule(*lines, "quorum: 2").quorum == 2
    assert rule_faults(*lines, "quorum: 3") == [
        "6:13: tools[0].quorum: more people than may approve, expected at most 2, the number of approvers, found 3"
    ]


def test_without_approvers_a_quorum_is_of_any_people():
    """Whoever may operate the network."""
    assert rule("class: irreversible", "quorum: 7").quorum == 7


def test_an_approver_twice_is_a_fault():
    """Case makes no other person."""
    assert rule_faults("class: irreversible", "approvers: [Ops@x.example, ops@X.example]") == [
        "5:16: tools[0].approvers: an approver twice, expected each person once, found 'ops@x.example'"
    ]


def test_approvers_are_kept_in_lower_case():
    """Nobody is refused for a capital letter."""
    assert rule("class: irreversible", "approvers: [Ops@Example.COM]").approvers == ("ops@example.com",)


@pytest.mark.parametrize("lines", [["on_expiry: deny"], ["on_expiry: deny", "expires: never"]])
def test_on_expiry_without_expiry_is_a_fault(lines):
    """Whoever wrote it believes that the gate expires."""
    assert rule_faults("class: irreversible", *lines) == [
        "5:16: tools[0].on_expiry: what comes of expiry, expected expires: a duration such as 7d, found never"
    ]


def test_a_gate_expires_only_if_the_rule_says_so():
    """A duration is enough: nothing but deny can come of it."""
    assert rule("class: irreversible").expires_s is None
    assert rule("class: irreversible", "expires: never").expires_s is None
    assert rule("class: irreversible", "expires: 7d").expires_s == 7 * 24 * 3600


def test_what_a_rule_does_not_say_of_the_tool_is_left_open():
    """The tool's own timeout and idempotency count then."""
    found = rule("class: readonly")
    assert (found.idempotent, found.timeout_s) == (None, None)
    assert rule("class: readonly", "idempotent: false").idempotent is False


@pytest.mark.parametrize(
    ("error", "absent"),
    [
        ("Customer 7 was Not Found. Search for it.", True),
        ("not found", True),
        ("no such customer", False),
        ("", False),
    ],
)
def test_absence_is_told_by_a_part_of_the_error_text(error, absent):
    """Case is ignored; the text is no pattern, since it is compared with what foreign servers send."""
    found = rule("class: irreversible", "snapshot: {tool: get, absent_when: Not found}").snapshot
    assert found is not None and says_absent(found, error) is absent


def test_without_absent_when_no_error_means_absence():
    """Any read error blocks the write then."""
    found = rule("class: irreversible", SNAPSHOT).snapshot
    assert found is not None and not says_absent(found, "not found")


@pytest.mark.parametrize(
    ("server", "fault"),
    [
        ("{}", "servers.x: a server without command and url, expected one of the two, found neither"),
        ("{args: [a]}", "servers.x: a server without command and url, expected one of the two, found neither"),
        ("{command: a, url: 'http://a'}", "servers.x: a server with command and url, expected one of the two, "
         "found both"),
        ("{url: 'http://a', env: {A: b}}", "servers.x.env: an option of a command, expected headers, "
         "since the server is "
         "reached by its url, found env"),
        ("{command: a, headers: {A: b}}", "servers.x.headers: an option of a url, expected args or env, "
         "since the server "
         "is started by its command, found headers"),
    ],
)  # fmt: skip
def test_a_server_is_started_by_a_command_or_reached_by_a_url(server, fault):
    """And takes the options of its kind only."""
    [found] = faults(f"{{version: 1, servers: {{x: {server}}}}}")
    assert found.partition(": ")[2] == fault


def test_a_manifest_without_faults_names_its_server_kinds():
    """Both kinds side by side."""
    servers = read("{version: 1, servers: {a: {command: x}, b: {url: 'http://127.0.0.1:8000/mcp'}}}").servers
    assert list(servers) == ["a", "b"]

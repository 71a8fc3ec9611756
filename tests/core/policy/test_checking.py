"""The manifest against the tools that there are (checking.py, argument_schema.py)."""

import socket

import pytest

from entracte.core.policy.argument_schema import ArgumentSchema
from entracte.core.policy.checking import check_against
from entracte.core.reference import Each
from entracte.core.tool_spec import ToolSpec
from tests.core.policy.manifests import EXAMPLE, read

CUSTOMER = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "name": {"type": "string"},
        "plan": {"enum": ["Free", "Pro"]},
        "address": {"$ref": "#/$defs/Address"},
        "tags": {"type": "array", "items": {"type": "object", "properties": {"key": {"type": "string"}}}},
        "extra": {"type": "object"},
        "maybe": {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "null"}]},
        "pair": {"type": "array", "prefixItems": [{"type": "object", "properties": {"x": {}}}], "items": False},
    },
    "required": ["id"],
    "$defs": {"Address": {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": False}},
}


def a_tool(name, parameters=CUSTOMER, effect="changing"):
    """A tool that takes a customer."""
    return ToolSpec(name=name, summary="Does it.", parameters=parameters, effect=effect)


def check(*rules, **tools):
    """Faults and warnings, without file, line and column. There are `get` (readonly), `put` and `it`."""
    known = {"get": a_tool("get", effect="readonly"), "put": a_tool("put"), "it": a_tool("it")} | tools
    found = check_against(read("version: 1\ntools:\n" + "".join(f"  - {rule}\n" for rule in rules)), known)
    return tuple([str(one).split(": ", 1)[1] for one in ones] for ones in found)


def test_a_manifest_that_fits_has_neither_faults_nor_warnings():
    """The names are there, and so are the arguments."""
    assert check(
        "{match: it, class: reversible, snapshot: {tool: get, args: {id: $.id}}, "
        "inverse: {tool: put, args: {id: $.id, name: $snapshot.name, plan: Pro, tags: [{key: $result.key}]}}}",
        "{match: put, class: irreversible, question: 'Put $.name?'}",
    ) == ([], [])


def test_snapshot_and_inverse_must_name_tools():
    """With what there is instead."""
    faults, warnings = check("{match: it, class: reversible, snapshot: {tool: gte}, inverse: {tool: a.put}}")
    assert faults == [
        "tools[0].snapshot.tool: no such tool, expected one of get, it, put, found 'gte'",
        "tools[0].inverse.tool: no such tool, expected one of get, it, put, found 'a.put'",
    ]
    assert warnings == []


@pytest.mark.parametrize("pattern", ["ti", "i", "crm.*", "*.it"])
def test_a_match_of_no_tool_is_a_warning(pattern):
    """The tool may come with the next version of its server."""
    assert check(f"{{match: '{pattern}', class: readonly}}") == (
        [],
        [f"tools[0].match: matches no tool, expected one of get, it, put, found '{pattern}'"],
    )


def test_findings_have_places():
    """Those of the manifest."""
    found = check_against(read(EXAMPLE, CRM_TOKEN="t"), {"crm.get_customer": a_tool("crm.get_customer")})
    assert [str(fault).partition(": ")[0] for fault in found.faults] == ["policy.yaml:11:22", "policy.yaml:17:21"]
    assert [str(warning).partition(": ")[0] for warning in found.warnings] == [
        "policy.yaml:8:12", "policy.yaml:15:12", "policy.yaml:18:12",
    ]  # fmt: skip


def test_names_of_servers_that_were_not_asked_are_not_checked():
    """Nobody knows what they offer."""
    manifest = read(EXAMPLE, CRM_TOKEN="t")
    assert check_against(manifest, {}, unasked=["crm"]) == ((), ())
    assert len(check_against(manifest, {}, unasked=["web"]).warnings) == 4


def test_a_snapshots_tool_is_readonly_by_the_policy():
    """What reads the state before a write must not write."""
    snapshot = "snapshot: {tool: get, args: {id: 1}}"
    assert check(f"{{match: it, class: irreversible, {snapshot}}}", "{match: g*, class: irreversible}") == (
        ["tools[0].snapshot.tool: get is not readonly by this policy, expected a readonly tool, found irreversible"],
        [],
    )
    assert check(f"{{match: it, class: irreversible, {snapshot}}}", "{match: g*, class: readonly}") == ([], [])


def test_a_foreign_tool_does_not_become_readonly_by_saying_so():
    """Only a rule makes it so, also when its server was not asked."""
    text = "version: 1\ntools: [{match: it, class: irreversible, snapshot: {tool: crm.get, args: {id: 1}}}]"
    tools = {"it": a_tool("it"), "crm.get": a_tool("crm.get", effect="readonly")}
    for found in (check_against(read(text), tools), check_against(read(text), {"it": tools["it"]}, unasked=["crm"])):
        assert [str(fault).partition(", expected")[0] for fault in found.faults] == [
            "policy.yaml:2:59: tools[0].snapshot.tool: crm.get is not readonly by this policy"
        ]


def test_template_arguments_must_be_the_tools():
    """Unknown ones, missing ones, each named."""
    [missing, unknown], _ = check("{match: it, class: compensable, inverse: {tool: put, args: {nmae: $.id}}}")
    listed = "address, extra, id, maybe, name, pair, plan, tags"
    assert unknown == f"tools[0].inverse.args.nmae: put takes no such argument, expected one of {listed}, found 'nmae'"
    assert missing == "tools[0].inverse.args: put needs id, expected id, found nmae"


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object"},
        CUSTOMER | {"additionalProperties": True},
        CUSTOMER | {"additionalProperties": {"type": "string"}},
        CUSTOMER | {"patternProperties": {"^n": {}}},
    ],
)
def test_a_tool_that_takes_anything_takes_unknown_arguments(parameters):
    """Its schema says so."""
    tool = a_tool("put", parameters)
    assert check("{match: it, class: compensable, inverse: {tool: put, args: {id: 1, nmae: x}}}", put=tool) == ([], [])


@pytest.mark.parametrize(
    ("argument", "fault"),
    [
        ("plan: Gold", "tools[0].inverse.args.plan, expected a value that the tool takes, "
         'found "Gold" is not one of "Free" or "Pro"'),
        ("name: 7", "tools[0].inverse.args.name, expected a value that the tool takes, "
         'found 7 is not of type "string"'),
        ("address: {town: x}", "tools[0].inverse.args.address, expected a value that the tool takes, found Additional "
         "properties are not allowed ('town' was unexpected)"),
        ("tags: [{key: a}, {key: 1}]", "tools[0].inverse.args.tags/1/key, expected a value that the tool takes, "
         'found 1 is not of type "string"'),
    ],
)  # fmt: skip
def test_literal_values_must_be_ones_that_the_tool_takes(argument, fault):
    """References are not judged: their values come with the call."""
    rule = f"{{match: it, class: compensable, inverse: {{tool: put, args: {{id: $.id, {argument}}}}}}}"
    assert check(rule)[0] == [fault]


def test_a_reference_to_an_argument_that_the_tool_lacks_is_a_fault():
    """In snapshots, inverses and questions."""
    faults, _ = check(
        "{match: it, class: reversible, snapshot: {tool: get, args: {id: $.ident}}, "
        "inverse: {tool: put, args: {id: $.id, name: 'was $.address.town'}}, "
        "question: 'Change $.nmae of $.tags[0].key?'}"
    )
    assert [fault.partition(", expected")[0] + fault[fault.rindex(", found") :] for fault in faults] == [
        "tools[0].snapshot.args.id: it has no such argument, found '$.ident'",
        "tools[0].inverse.args.name: it has no such argument, found '$.address.town'",
        "tools[0].question: it has no such argument, found '$.nmae'",
    ]


def test_references_are_checked_for_every_tool_that_the_rule_governs():
    """But not for those that a more exact rule takes away."""
    mail = {"type": "object", "properties": {"to": {"type": "string"}}, "additionalProperties": False}
    rules = ["{match: send_*, class: irreversible, question: 'To $.to?'}", "{match: send_fax, class: irreversible}"]
    tools = {"send_mail": a_tool("send_mail", mail), "send_fax": a_tool("send_fax"), "send_it": a_tool("send_it")}
    assert check(*rules, **tools)[0] == [
        "tools[0].question: send_it has no such argument, "
        "expected one of address, extra, id, maybe, name, pair, plan, tags, found '$.to'"
    ]


def test_an_inverse_that_needs_an_optional_argument_is_a_warning():
    """Calls that leave it out cannot be undone, so they will be held."""
    inverse = "inverse: {tool: put, args: {id: $.id, name: $.name}}"
    assert check(f"{{match: it, class: compensable, {inverse}}}") == (
        [],
        ["tools[0].inverse.args.name: calls of it that leave name out will be held, "
         "expected a required argument, found '$.name'"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "has"),
    [
        ((), True),
        (("id",), True),
        (("nmae",), False),
        (("id", "x"), False),
        ((0,), False),
        (("address", "city"), True),
        (("address", "town"), False),
        (("tags", 0, "key"), True),
        (("tags", Each(), "key"), True),
        (("tags", Each(), "value"), False),
        (("tags", "key"), False),
        (("name", 0), False),
        (("extra", "anything", "at", "all"), True),
        (("maybe", "a"), True),
        (("maybe", "b"), False),
        (("pair", 0, "x"), True),
        (("pair", 1), False),
        (("plan", "x"), True),
    ],
)
def test_a_schema_tells_whether_a_path_is_possible(steps, has):
    """Where it says nothing, everything is."""
    assert ArgumentSchema(CUSTOMER).has(steps) is has


@pytest.mark.parametrize(
    "property_schema",
    [
        {"$ref": "#/properties/a"},
        {"anyOf": [{"$ref": "#/properties/a"}, {"$ref": "#/properties/a"}]},
        {"$ref": "https://schemas.example/x.json"},
        {"$ref": "#/nowhere"},
        {"anyOf": "nonsense", "properties": [], "type": 7},
        True,
    ],
    ids=["itself", "itself twice", "elsewhere", "nowhere", "nonsense", "true"],
)
def test_a_schema_that_cannot_be_followed_allows_everything(property_schema):
    """Servers send what they like; the check ends, and the call will tell."""
    parameters = {"type": "object", "properties": {"a": property_schema, "id": {}}}
    tools = {"it": a_tool("it", parameters), "put": a_tool("put", parameters)}
    assert check("{match: it, class: compensable, inverse: {tool: put, args: {a: {b: 1}, id: $.id}}}", **tools)[0] == []
    assert ArgumentSchema(parameters).has(("a", "b", "c"))


def test_a_foreign_schema_makes_nobody_call_anywhere():
    """A reference to another address is not followed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        parameters = {"type": "object", "properties": {"a": {"$ref": f"http://127.0.0.1:{server.getsockname()[1]}/x"}}}
        check("{match: it, class: compensable, inverse: {tool: put, args: {a: 1}}}", put=a_tool("put", parameters))
        with pytest.raises(BlockingIOError):
            server.accept()

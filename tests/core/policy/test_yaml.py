"""YAML as manifests use it (nodes.py, unfolding.py, scalars.py)."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from entracte.core.policy.faults import ManifestError
from entracte.core.policy.text.nodes import MAX_BYTES
from entracte.core.policy.text.scalars import plain_value
from entracte.core.policy.text.unfolding import read_source
from tests.core.policy.manifests import EXAMPLE, faults, read


def value(text):
    """The value of a text without faults."""
    source, found = read_source(text, "policy.yaml")
    assert found == []
    return source.value


def outcome(text):
    """The faults of a manifest; none if it is sound."""
    try:
        read(text, CRM_TOKEN="t")
    except ManifestError as error:
        return error.faults
    return ()


def test_every_key_and_value_has_a_place():
    """Lines and columns from 1, as editors show them."""
    source, _ = read_source("a: 1\nb:\n  - c\n  - {d: e}\n", "policy.yaml")
    assert source.values == {
        (): (1, 1), ("a",): (1, 4), ("b",): (3, 3), ("b", 0): (3, 5), ("b", 1): (4, 5), ("b", 1, "d"): (4, 9),
    }  # fmt: skip
    assert source.keys == {("a",): (1, 1), ("b",): (2, 1), ("b", 1, "d"): (4, 6)}


@pytest.mark.parametrize(
    ("scalar", "meaning"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("-1.5e3", -1500.0),
        (".5", 0.5),
        ("12:30:00", "12:30:00"),
        ("1_000", "1_000"),
        ("yes", "yes"),
        ("on", "on"),
        ("No", "No"),
        ("2024-01-31", "2024-01-31"),
        ("2024-01-31T12:00:00Z", "2024-01-31T12:00:00Z"),
        ("=", "="),
    ],
)
def test_scalars_are_those_of_yaml_1_2(scalar, meaning):
    """A country code NO is no boolean, and a date stays the text that was written."""
    found = value(f"x: {scalar}\n")["x"]
    assert (found, type(found)) == (meaning, type(meaning))


@pytest.mark.parametrize("scalar", ["'12'", '"true"', "!!str 12", "! 12", "|-\n  12"])
def test_what_is_in_quotes_or_a_block_or_tagged_so_is_text(scalar):
    """Only plain scalars are looked at."""
    assert isinstance(value(f"x: {scalar}\n")["x"], str)


def test_an_alias_stands_for_what_its_anchor_holds():
    """Common arguments can be written once."""
    assert value("a: &x {b: [1]}\nc: [*x, *x]\n") == {"a": {"b": [1]}, "c": [{"b": [1]}, {"b": [1]}]}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: [1", "1:6: not YAML: expected ',' or ']', but got '<stream end>', expected well-formed YAML, "
         "found 'a: [1'"),
        ("a: 1\n b: 2", "2:3: not YAML: mapping values are not allowed here, expected well-formed YAML, found 'b: 2'"),
        ("a: 1\n\tb: 2", "2:1: not YAML: found character '\\t' that cannot start any token, "
         "expected well-formed YAML, found 'b: 2'"),
        ("a: 1\nb: \x07", "2:4: not YAML: a control character, expected well-formed YAML, found 'b: \\x07'"),
        ("a: 1\n--- \nb: 2", "2:1: a second document, expected one document, found '---'"),
        ("a: \ud800", "1:1: the text, expected Unicode, found half of a surrogate pair"),
        ("a: *x\n---\n", "2:1: a second document, expected one document, found '---'"),
    ],
)  # fmt: skip
def test_what_is_not_one_yaml_document_is_a_fault_with_its_place(text, fault):
    """The reading cannot go on from there."""
    with pytest.raises(ManifestError) as caught:
        read_source(text, "policy.yaml")
    assert f"policy.yaml:{fault}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: 1\nb: 2\na: 3", "3:1: the key 'a' again, expected each key once, found it in line 1 too"),
        ("x: {a: {b: 1, b: 2}}", "1:15: the key 'b' again, expected each key once, found it in line 1 too"),
        ("1: a", "1:1: a key, expected text, in quotes if need be, found 1"),
        ("yes: a\ntrue: b", "2:1: a key, expected text, in quotes if need be, found true"),
        ("? [a]\n: b", "1:3: a key, expected text, in quotes if need be, found a list"),
        ("a: *b", "1:4: an alias, expected an anchor before it, found '*b'"),
        ("a: &b [*b]", "1:8: an alias, expected an anchor before it, found '*b'"),
        ("a: &x {b: 1}\nc: {<<: *x}", "2:5: a merge key, expected the keys themselves; YAML 1.2 has no merging, "
         "found '<<'"),
        ("a: !secret b", "1:4: a tag, expected none, or !!str, found '!secret'"),
        ("a: !!python/name:os.system b", "1:4: a tag, expected none, or !!str, found '!!python/name:os.system'"),
        ("a: !!set {b}", "1:4: a tag, expected none, or !!str, found '!!set'"),
        (f"a: {'9' * 5000}", "1:4: a number, expected one that a computer can hold, "
         "found a number of 5,000 characters"),
        ("%YAML 1.1\n---\na: yes", "1:1: the %YAML directive, expected 1.2, found 1.1"),
    ],
)  # fmt: skip
def test_what_manifests_may_not_use_is_a_fault_beside_the_others(text, fault):
    """The reading goes on, so that all faults are found at once."""
    _, found = read_source(text, "policy.yaml")
    assert [str(one) for one in found] == [f"policy.yaml:{fault}"]


def test_an_empty_manifest_is_a_fault():
    """It would make everything irreversible without anyone having said so."""
    assert faults("# nothing yet\n") == [
        "1:1: the manifest, expected a mapping with version, servers and tools, found nothing"
    ]


BOMB = "a: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"b{n}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (BOMB, "the manifest with its aliases, expected at most 20,000 values and 32 levels, found more"),
        ("[" * 100_000, "the nesting, expected at most 32 levels, found more"),
        ("a: " + "{a: " * 40, "the nesting, expected at most 32 levels, found more"),
        ("x: &x " + "[" * 20 + "]" * 20 + "\ny: &y " + "[" * 20 + "*x" + "]" * 20, "found more"),
        ("- a\n" * 21_000, "the manifest, expected at most 20,000 values, found more"),
        ("#" * (MAX_BYTES + 1), "the manifest, expected at most 1,048,576 bytes, found 1,048,577"),
        ("é" * (MAX_BYTES // 2 + 1), "the manifest, expected at most 1,048,576 bytes, found 1,048,578"),
    ],
    ids=["aliases", "open lists", "open mappings", "deep aliases", "values", "bytes", "bytes, not characters"],
)
def test_a_bomb_is_refused_before_it_goes_off(text, fault):
    """A few lines of aliases would stand for billions of values."""
    with pytest.raises(ManifestError) as caught:
        read_source(text, "policy.yaml")
    assert fault in str(caught.value)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.text() | st.text(alphabet="abv:-[]{}&*!|>'\"#%@,?$. \n\t\\", max_size=60))
def test_any_text_is_read_or_refused_with_faults(text):
    """Nothing else comes out, whatever goes in."""
    assert all(fault.expected for fault in outcome(text))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(EXAMPLE) - 1), st.sampled_from("\n:{}[]-\"'$&*x1 "))
def test_a_slip_of_one_character_is_read_or_refused_with_faults(place, character):
    """Slips are what manifests really have."""
    text = EXAMPLE[:place] + character + EXAMPLE[place + 1 :]
    assert all(1 <= fault.line <= text.count("\n") + 1 for fault in outcome(text))


@given(st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | st.booleans())
def test_json_scalars_mean_what_they_mean_in_json(scalar):
    """JSON is YAML."""
    text = str(scalar).lower().replace("inf", ".inf")
    assert plain_value(text) == scalar

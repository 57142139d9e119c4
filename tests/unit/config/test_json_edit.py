"""Changing a list of a JSON text leaves every other byte alone."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.config.files import parse_object
from pilotfish.config.json_edit import add_entries, entries_of, remove_entries, set_value
from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonObject, JsonValue

PATH = ("permissions", "allow")

keys = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)
scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)
rules = st.text(min_size=1, max_size=12)


@st.composite
def blanks(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["", "", " ", "  ", "\n", "\n  ", "\r\n\t", "\n\n    "]))


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Write a value with blanks anywhere that JSON allows them."""
    if isinstance(value, dict):
        members = [
            f"{draw(blanks())}{json.dumps(key)}{draw(blanks())}:{draw(blanks())}"
            f"{draw(written(item))}{draw(blanks())}"
            for key, item in cast("dict[str, Any]", value).items()
        ]
        return "{" + (",".join(members) or draw(blanks())) + "}"
    if isinstance(value, list):
        entries = [
            f"{draw(blanks())}{draw(written(item))}{draw(blanks())}"
            for item in cast("list[Any]", value)
        ]
        return "[" + (",".join(entries) or draw(blanks())) + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    """A settings object with a list of rules somewhere in it."""
    section = draw(st.dictionaries(keys, values, max_size=3))
    section["allow"] = draw(st.lists(rules, max_size=4))
    data = draw(st.dictionaries(keys, values, max_size=3)) | {"permissions": section}
    order = draw(st.permutations(list(data)))
    return {key: data[key] for key in order}


@st.composite
def files(draw: st.DrawFn) -> str:
    data = draw(settings())
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 2, 4, "\t"]))
        return json.dumps(data, indent=indent, ensure_ascii=False) + draw(blanks())
    return draw(blanks()) + draw(written(data)) + draw(blanks())


def outside(text: str) -> tuple[str, str]:
    """Return what stands before and behind the list, found without the code under test."""
    decoder = json.JSONDecoder()
    listed = cast("JsonObject", parse_object(text, "it")["permissions"])["allow"]
    for start in range(len(text)):
        if text[start] != "[":
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            continue
        marked = text[:start] + '["\u2603 the list"]' + text[end:]
        try:
            found = parse_object(marked, "it").get("permissions")
        except SettingsError:
            continue
        if value == listed and isinstance(found, dict) and found["allow"] == ["\u2603 the list"]:
            return text[:start], text[end:]
    raise AssertionError(text)


@given(files(), rules)
def test_adding_changes_the_list_alone_and_removing_gives_every_byte_back(
    text: str, rule: str
) -> None:
    before = entries_of(text, PATH)
    added = add_entries(text, PATH, [rule])

    assert entries_of(added, PATH) == (*before, rule)
    assert outside(added) == outside(text)
    if rule not in before:
        assert remove_entries(added, PATH, lambda entry: entry == rule) == text


@given(files(), st.data())
def test_removing_changes_the_list_alone(text: str, data: st.DataObject) -> None:
    before = entries_of(text, PATH)
    gone = data.draw(st.sampled_from(before)) if before else "nothing"
    removed = remove_entries(text, PATH, lambda entry: entry == gone)

    assert entries_of(removed, PATH) == tuple(entry for entry in before if entry != gone)
    assert outside(removed) == outside(text)


@given(st.dictionaries(keys, values, max_size=3).flatmap(written), rules)
def test_a_missing_list_is_made_and_all_else_stays(text: str, rule: str) -> None:
    data = parse_object(text, "it")
    section = data.get("permissions")
    if section is not None and not isinstance(section, dict):
        with pytest.raises(SettingsError):
            add_entries(text, PATH, [rule])
        return
    changed = parse_object(add_entries(text, PATH, [rule]), "it")

    allowed = cast("list[JsonValue]", (section or {}).get("allow", []))
    expected: JsonObject = {**(section or {}), "allow": [*allowed, rule]}
    assert changed == data | {"permissions": expected}
    assert list(changed)[: len(data)] == list(data)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"permissions": {"allow": ["A"]}}', '{"permissions": {"allow": ["A", "B"]}}'),
        ('{"permissions":{"allow":["A","C"]}}', '{"permissions":{"allow":["A","C","B"]}}'),
        ('{"z":1}', '{"z":1, "permissions":{"allow": ["B"]}}'),
        (
            '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"A"\n\t\t]\n\t}\n}',
            '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"A",\n\t\t\t"B"\n\t\t]\n\t}\n}',
        ),
        (
            '{\r\n    "z": 1\r\n}\r\n',
            '{\r\n    "z": 1,\r\n    "permissions": {\r\n        "allow": [\r\n'
            '            "B"\r\n        ]\r\n    }\r\n}\r\n',
        ),
        (
            '{\n  "permissions": {\n    "allow": []\n  }\n}\n',
            '{\n  "permissions": {\n    "allow": [\n      "B"\n    ]\n  }\n}\n',
        ),
    ],
)
def test_what_is_added_looks_like_what_is_there(text: str, expected: str) -> None:
    assert add_entries(text, PATH, ["B"]) == expected


def test_one_value_is_set_in_its_place_and_taken_out_again() -> None:
    path = ("permissions", "defaultMode")
    text = '{ "permissions" : { "defaultMode" :  "plan", "allow": [] } , "z":1 }'

    assert set_value(text, path, "default") == text.replace('"plan"', '"default"')
    assert set_value(text, path, None) == text.replace('"defaultMode" :  "plan", ', "")
    assert set_value("{}", path, None) == "{}"


def test_what_has_no_utf8_form_is_escaped() -> None:
    assert r'["\ud800"]' in add_entries('{"permissions": {}}', PATH, ["\ud800"])

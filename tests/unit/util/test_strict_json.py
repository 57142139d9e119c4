"""JSON that any reader takes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.util import strict_json

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "[1e999]", "-1.5e400"])
def test_what_is_no_number_is_refused_or_null(text: str) -> None:
    with pytest.raises(ValueError, match=r"no JSON|too large a number"):
        strict_json.loads(text)
    assert "null" in json.dumps(strict_json.loads_lenient(text))


@given(values)
def test_what_is_written_can_be_read_by_everybody(value: Any) -> None:
    written = strict_json.encode(value)
    assert b"\n" not in written
    read = strict_json.loads(written)
    assert json.dumps(read) == json.dumps(strict_json.loads_lenient(json.dumps(value)))


def test_half_characters_are_escaped() -> None:
    assert strict_json.encode({"a": "\ud800", "b": float("inf")}) == b'{"a":"\\ud800","b":null}'

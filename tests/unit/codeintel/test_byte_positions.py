"""Places of bytes as LSP positions, on lines of any length."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel.byte_positions import BytePositions
from pilotfish.codeintel.index.reading import facts_of
from pilotfish.ports.code import Position

LIMIT_S = 10
"""Of processor time; what takes a time that grows with the square of a line needs many times as much."""


@given(
    st.lists(st.sampled_from(["a", "é", "€", "😀"]), max_size=40), st.integers(1, 200), st.data()
)
def test_units_are_counted_on_long_lines_as_on_short_ones(
    signs: list[str], times: int, data: st.DataObject
) -> None:
    text = "".join(signs) * times
    index = data.draw(st.integers(0, len(text)))
    before = f"x\n{text[:index]}".encode()
    positions = BytePositions(f"x\n{text}\n".encode())
    expected = Position(1, len(text[:index].encode("utf-16-le")) // 2)
    offsets = [*range(2, len(before), 997), len(before)]
    assert positions.position(len(before)) == expected
    assert Position(*list(positions.places(offsets))[-1]) == expected
    assert positions.position(len(before)) == expected, "again, with what is known of the line"


@pytest.mark.parametrize("sign", ["é", "😀"])
def test_a_script_of_one_line_is_read_in_a_time_that_grows_with_its_length(sign: str) -> None:
    text = f"'{sign * 5}';g(x);function f(){{}};" * 16_000
    began = time.process_time()
    facts = facts_of("a.js", text)
    assert time.process_time() - began < LIMIT_S
    assert facts is not None
    last = len(text[: text.rindex("f()")].encode("utf-16-le")) // 2
    assert facts.definitions[-1].name_span.start == Position(0, last)

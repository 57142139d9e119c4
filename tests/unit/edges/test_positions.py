"""Character offsets and LSP positions, there and back."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pilotfish.edges.lsp.positions import LineIndex, position_at
from pilotfish.util import text_span
from pilotfish.util.text_span import place_in_line

PIECES = ["a", "\u00e4", "\U0001f600", "\n", "\r", "\r\n", '"']
TEXTS = st.lists(st.sampled_from(PIECES)).map("".join)


@given(TEXTS, st.data())
def test_an_offset_comes_back_from_its_position(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    lines = LineIndex(text)
    inside_line_end = text[offset - 1 : offset + 1] == "\r\n" if offset else False
    if not inside_line_end:
        assert lines.offset(lines.position(offset)) == offset
        assert lines.position(offset) == position_at(text, offset)


@pytest.mark.parametrize(
    ("line", "character", "offset"), [(0, 99, 2), (1, 0, 3), (1, 2, 4), (9, 9, 5), (1, 1, 4)]
)
def test_positions_outside_of_lines_are_brought_back(
    line: int, character: int, offset: int
) -> None:
    text = "ab\n\U0001f600c"
    assert LineIndex(text).offset(types.Position(line=line, character=character)) == offset


@given(st.text(st.sampled_from("aé\U0001f600"), max_size=30), st.integers(0, 70))
def test_a_place_in_a_long_line_is_that_in_a_short_one(line: str, units: int) -> None:
    with patch.object(text_span, "PIECE_CHARS", 4):
        in_pieces = place_in_line(line, units)
    assert in_pieces == place_in_line(line, units)

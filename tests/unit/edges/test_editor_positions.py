"""The range that an edit sends to the editor is exact, minimal and in UTF-16."""

from hypothesis import given
from hypothesis import strategies as st
from pilotfish.edges.lsp.positions import position_at
from pilotfish.util.text_span import changed_span
from pygls.workspace import PositionCodec

TEXT = st.text(alphabet="ab\r\n\U0001f600é", max_size=40)


@given(TEXT, TEXT)
def test_replacing_the_span_gives_the_new_text(old: str, new: str) -> None:
    start, old_end, new_end = changed_span(old, new)
    assert old[:start] + new[start:new_end] + old[old_end:] == new
    assert 0 <= start <= old_end <= len(old)
    assert start <= new_end <= len(new)


@given(TEXT, TEXT)
def test_a_line_end_of_two_characters_is_never_cut(old: str, new: str) -> None:
    start, old_end, _ = changed_span(old, new)
    for offset in (start, old_end):
        assert old[offset - 1 : offset + 1] != "\r\n"


@given(TEXT, st.integers(0, 40))
def test_positions_count_lines_and_utf_16_units_as_the_protocol_does(text: str, at: int) -> None:
    offset = min(at, len(text))
    if text[offset - 1 : offset + 1] == "\r\n":
        return  # no position of the protocol lies inside a line end
    position = position_at(text, offset)
    lines = text.splitlines(keepends=True) or [""]
    before = text[:offset].splitlines(keepends=True)
    if position.line < len(lines):
        codec = PositionCodec()
        inside = codec.position_from_client_units(lines, position)
        assert len("".join(lines[: inside.line])) + inside.character == offset
    else:
        assert offset == len(text)
        assert position.character == 0
    assert position.line == len(before) - (1 if before and before[-1][-1] not in "\r\n" else 0)


def test_the_span_of_a_change_in_a_long_text_is_that_change() -> None:
    old = "line\n" * 10_000
    new = old[:25_000] + "changed" + old[25_000:]
    start, old_end, new_end = changed_span(old, new)
    assert old_end - start == 0
    assert new_end - start == len("changed")

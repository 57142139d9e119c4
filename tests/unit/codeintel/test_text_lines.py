"""Lines, positions and symbols of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel.text_lines import REACH_LINES, TextLines, find_symbol, lines_with
from pilotfish.ports.code import Position

TEXTS = st.text(alphabet="ab_ .🐟é\r\n\t\u2028\x0c", max_size=60)


@given(TEXTS, st.integers(0, 60))
def test_an_offset_survives_the_way_to_a_position_and_back(text: str, offset: int) -> None:
    lines = TextLines(text)
    offset = min(offset, len(text))
    if text[offset - 1 : offset + 1] == "\r\n":
        offset -= 1  # inside a line end there is no place
    assert lines.offset(lines.position(offset)) == offset


@given(TEXTS)
def test_the_lines_are_the_text_without_its_line_ends(text: str) -> None:
    lines = TextLines(text)
    joined = "\n".join(lines.line(number) for number in range(len(lines)))
    assert joined == text.replace("\r\n", "\n").replace("\r", "\n")


def test_places_that_are_not_in_the_text() -> None:
    lines = TextLines("a🐟b\nc")
    assert lines.offset(Position(0, 99)) == 3
    assert lines.offset(Position(0, 3)) == 2
    assert lines.offset(Position(2, 0)) == 5
    assert lines.offset(Position(2, 1)) is None
    assert lines.offset(Position(3, 0)) is None
    assert lines.offset(Position(-1, 0)) is None
    assert lines.offset(Position(0, -1)) is None


FOUND = [
    ("total", 1, 1, (1, 0)),
    ("total", 1, 2, (1, 12)),
    ("total", 1, 9, (1, 12)),
    ("cart.total", 1, 1, (1, 12)),
    ("Cart::total()", 1, 1, (1, 0)),  # not so in the text: the name alone is looked for
    (" total ", 3, 1, (1, 0)),
    ("subtotal", None, 1, (0, 2)),
    ("$el", None, 1, (4, 0)),
    ("+", None, 1, (1, 20)),
]


@pytest.mark.parametrize(("symbol", "line", "occurrence", "expected"), FOUND)
def test_finding_a_symbol(
    symbol: str, line: int | None, occurrence: int, expected: tuple[int, int]
) -> None:
    text = "🐟subtotal\ntotal = cart.total( + 1)\n\n\n$el\n"
    if symbol == "+":
        expected = (1, text.splitlines()[1].index("+"))
    if symbol == "cart.total" or occurrence > 1:
        expected = (1, text.splitlines()[1].index(".total") + 1)
    found = find_symbol(TextLines(text), symbol, near=line, occurrence=occurrence)
    assert found is not None
    assert (found.position.line, found.position.character) == expected
    assert found.is_exact == (line is None or line == expected[0])


@pytest.mark.parametrize("symbol", ["price", "tota", "", "  ", "()"])
def test_what_is_not_there(symbol: str) -> None:
    assert find_symbol(TextLines("total\n"), symbol, near=0) is None


def test_what_is_too_far_off_is_not_meant() -> None:
    lines = TextLines("x\n" + "\n" * REACH_LINES + "\n")
    assert find_symbol(lines, "x", near=REACH_LINES) is not None
    assert find_symbol(lines, "x", near=REACH_LINES + 1) is None
    assert lines_with(lines, "a.x", 5) == [0]


@given(TEXTS, st.sampled_from(["a", "b", "ab", "a_b", "🐟", "a.b"]), st.integers(0, 20))
def test_what_is_found_stands_there(text: str, symbol: str, near: int) -> None:
    lines = TextLines(text)
    found = find_symbol(lines, symbol, near=near)
    if found is None:
        return
    offset = lines.offset(found.position)
    assert offset is not None
    assert text[offset:].startswith(symbol.rsplit(".", maxsplit=1)[-1])

"""The editor that the end-to-end tests use counts as a real one does."""

import pytest

from tests.support.wire_editor import offset_at, position_at

GRIN = "\N{GRINNING FACE}"
TEXT = f"a{GRIN}b\r\n{GRIN}c\n"


@pytest.mark.parametrize(
    ("offset", "line", "character"),
    [(0, 0, 0), (1, 0, 1), (2, 0, 3), (3, 0, 4), (5, 1, 0), (6, 1, 2), (7, 1, 3), (8, 2, 0)],
)
def test_positions_are_in_utf_16_units(offset: int, line: int, character: int) -> None:
    position = {"line": line, "character": character}
    assert position_at(TEXT, offset) == position
    assert offset_at(TEXT, position) == offset


def test_a_position_inside_a_character_is_refused() -> None:
    with pytest.raises(AssertionError, match="inside a character"):
        offset_at(TEXT, {"line": 0, "character": 2})

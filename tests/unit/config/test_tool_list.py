"""When tools that can wait are left out of the list."""

import pytest
from pilotfish.config.tool_list import ToolsSection, must_defer
from pydantic import ValidationError


@pytest.mark.parametrize(
    ("deferral", "tokens", "defers"),
    [
        ("on", 1, True),
        ("off", 1_000_000, False),
        ("auto", 20_000, False),
        ("auto", 20_001, True),
        ("auto:5", 10_001, True),
        ("auto:50", 10_001, False),
        ("auto:0", 1, True),
        ("auto:100", 1_000_000, False),
        ("auto:999", 1_000_000, False),
    ],
)
def test_the_share_of_the_window_decides(deferral: str, tokens: int, *, defers: bool) -> None:
    assert must_defer(deferral, tokens=tokens, window_tokens=200_000) is defers


@pytest.mark.parametrize("given", ["", "yes", "auto:", "auto:-1", "auto:1000", "on\n"])
def test_anything_else_is_no_value(given: str) -> None:
    with pytest.raises(ValidationError):
        ToolsSection(deferral=given)

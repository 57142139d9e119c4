"""Nothing in a text ends the block that it is put in."""

import re

from hypothesis import given
from hypothesis import strategies as st
from pilotfish.util.fenced import fenced

LINES = st.lists(
    st.sampled_from(
        ["```", "````", "   `````", "    ```", "~~~", "a\r```", "\r", "```text", "a ``` b", "", "`"]
    )
)


def test_a_language_cannot_leave_its_line() -> None:
    assert fenced("x", "c++\n```\nfree `y`") == "```c++freey\nx\n```"


def closes(line: str, fence: str) -> bool:
    """CommonMark 0.31 §4.5: at most three spaces, at least as many backticks, nothing behind them."""
    return re.fullmatch(rf" {{0,3}}`{{{len(fence)},}}[ \t]*", line) is not None


@given(LINES, st.booleans())
def test_a_block_ends_with_its_last_line_and_holds_the_text(lines: list[str], ends: bool) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    first, *within, last = fenced(text, "text").split("\n")
    fence = first.removesuffix("text")
    assert set(fence) == {"`"}
    assert last == fence
    assert not any(closes(line, fence) for part in within for line in part.split("\r"))
    assert "\n".join(within) == text.removesuffix("\n")

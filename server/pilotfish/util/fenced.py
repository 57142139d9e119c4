"""Text as a block of Markdown that it cannot leave.

Owns: the fence that nothing in the text can close. Pure.
"""

import re

_FENCE = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)
"""A line that could close a fence: CommonMark 0.31 §4.5."""


def fenced(text: str, language: str = "") -> str:
    """Return a text between fences, each on a line of its own; the last one has no line end."""
    end = "" if text.endswith("\n") else "\n"
    longest = max((len(found) for found in _FENCE.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}{end}{fence}"

"""Text as a block of Markdown that it cannot leave.

Owns: the fence that nothing in the text can close. Pure.
"""

import re

_FENCE = re.compile(r"(?:^|[\n\r]) {0,3}(`{3,})")
"""A line that could close a fence: CommonMark 0.31 §4.5; a carriage return ends a line, too (§2.1)."""

_OTHER_IN_NAMES = re.compile(r"[^\w+#.-]")


def fenced(text: str, language: str = "") -> str:
    """Return a text between fences, each on a line of its own; the last one has no line end.

    Of the language only what names are made of is kept.
    """
    end = "" if text.endswith("\n") else "\n"
    longest = max((len(found) for found in _FENCE.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{_OTHER_IN_NAMES.sub('', language)}\n{text}{end}{fence}"

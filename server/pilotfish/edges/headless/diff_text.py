"""Diffs as text lines."""

import difflib

MAX_DIFF_LINES = 200
"""Longest diff that is shown; the file itself has the rest."""

CONTEXT_LINES = 3


def diff_lines(path: str, old_text: str | None, new_text: str) -> list[str]:
    """Return a unified diff, without line ends, cut at ``MAX_DIFF_LINES``."""
    old = [] if old_text is None else old_text.splitlines()
    lines = list(
        difflib.unified_diff(
            old,
            new_text.splitlines(),
            fromfile="/dev/null" if old_text is None else path,
            tofile=path,
            lineterm="",
            n=CONTEXT_LINES,
        )
    )
    if len(lines) > MAX_DIFF_LINES:
        rest = len(lines) - MAX_DIFF_LINES
        return [*lines[:MAX_DIFF_LINES], f"… {rest} more lines"]
    return lines

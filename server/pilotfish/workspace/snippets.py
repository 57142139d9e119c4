"""Showing a change to the model: numbered lines around it, and counts.

Owns: the snippet of design 06 §25. Pure functions.
"""

from pilotfish.util.line_diff import line_changes, split_lines

CONTEXT_LINES = 4
"""Lines shown before and after a change (design 06 §5.2)."""

MAX_SNIPPET_LINES = 100
"""Most lines shown of one change."""

MAX_LINE_CHARS = 2_000
"""Characters shown of one line."""


def count_changed_lines(old: str | None, new: str) -> tuple[int, int]:
    """Return how many lines were added and removed."""
    changes = line_changes(split_lines(old or ""), split_lines(new))
    added = sum(change.new_end - change.new_start for change in changes)
    return added, sum(change.old_end - change.old_start for change in changes)


def snippet(old: str, new: str) -> str:
    """Render the changed places of the new text with line numbers and some context."""
    new_lines = split_lines(new)
    shown: list[int] = []
    for change in line_changes(split_lines(old), new_lines):
        first = max(change.new_start - CONTEXT_LINES, shown[-1] + 1 if shown else 0)
        last = min(change.new_end + CONTEXT_LINES, len(new_lines))
        shown.extend(range(first, last))
    rows: list[str] = []
    for at, index in enumerate(shown[:MAX_SNIPPET_LINES]):
        if at and shown[at - 1] != index - 1:
            rows.append("   ...")
        rows.append(numbered_line(index + 1, new_lines[index]))
    if len(shown) > MAX_SNIPPET_LINES:
        rows.append(f"   ... ({len(shown) - MAX_SNIPPET_LINES} more lines around the changes)")
    return "\n".join(rows)


def numbered_line(number: int, line: str) -> str:
    """Render one line as Read shows it, cut when it is too long."""
    if len(line) > MAX_LINE_CHARS:
        line = f"{line[:MAX_LINE_CHARS]}... [line cut: {len(line):,} characters in all]"
    return f"{number:>6}\t{line}"

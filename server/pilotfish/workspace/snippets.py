"""Showing a change to the model: numbered lines around it, and counts.

Owns: the snippet of design 06 §25. Pure functions.
"""

from pilotfish.util.line_diff import count_lines, lines_between, text_changes

CONTEXT_LINES = 4
"""Lines shown before and after a change (design 06 §5.2)."""

MAX_SNIPPET_LINES = 100
"""Most lines shown of one change."""

MAX_LINE_CHARS = 2_000
"""Characters shown of one line."""


def count_changed_lines(old: str | None, new: str) -> tuple[int, int]:
    """Return how many lines were added and removed."""
    changes = text_changes(old or "", new)
    added = sum(change.new_end - change.new_start for change in changes)
    return added, sum(change.old_end - change.old_start for change in changes)


def snippet(old: str, new: str) -> str:
    """Render the changed places of the new text with line numbers and some context."""
    total = count_lines(new)
    rows: list[str] = []
    shown = shown_to = left_out = 0
    for change in text_changes(old, new):
        first = max(change.new_start - CONTEXT_LINES, shown_to)
        last = min(change.new_end + CONTEXT_LINES, total)
        if first >= last:
            continue
        lines = lines_between(new, first, min(last, first + MAX_SNIPPET_LINES - shown))
        if rows and lines and first > shown_to:
            rows.append("   ...")
        rows += [numbered_line(first + at + 1, line) for at, line in enumerate(lines)]
        shown += len(lines)
        left_out += last - first - len(lines)
        shown_to = last
    if left_out:
        rows.append(f"   ... ({left_out} more lines around the changes)")
    return "\n".join(rows)


def numbered_line(number: int, line: str) -> str:
    """Render one line as Read shows it, cut when it is too long."""
    if len(line) > MAX_LINE_CHARS:
        line = f"{line[:MAX_LINE_CHARS]}... [line cut: {len(line):,} characters in all]"
    return f"{number:>6}\t{line}"

"""What to tell the model when the text it named is not there once.

Owns: the error and its texts: nearest place with line numbers, the likely cause, what to do next.
"""

import difflib
import re

from pilotfish.core.errors import WorkspaceError

_CONTEXT_LINES = 2
"""Lines shown around the nearest place."""

_MAX_LINES_SHOWN = 12
"""Most lines of the file in one error."""

_MAX_PLACES_SHOWN = 20
"""Most line numbers listed when several places match."""

_MIN_LIKENESS = 0.6
"""Likeness of a line (0 to 1) from which it is worth showing."""

_MAX_LINES_COMPARED = 2_000
"""Lines that are compared letter by letter; lines that share a word with the wanted one first."""

_MAX_LINE_CHARS = 400
"""Characters of a line that are compared and shown."""


class MatchError(WorkspaceError):
    """The text to replace is not in the file, or not once."""


def several_matches(text: str, starts: list[int]) -> MatchError:
    """Build the error for a text that occurs more than once."""
    lines = [text.count("\n", 0, start) + 1 for start in starts[:_MAX_PLACES_SHOWN]]
    shown = ", ".join(str(line) for line in lines)
    more = "" if len(starts) == len(lines) else f" and {len(starts) - len(lines)} more"
    return MatchError(
        f"old_string occurs {len(starts)} times, starting at lines {shown}{more}; "
        "nothing was written.",
        hint="Add surrounding lines until it is unique, or set replace_all to change them all.",
    )


def no_match(text: str, old: str) -> MatchError:
    """Build the error for a text that does not occur; both texts with LF line endings."""
    reason = _cause(text, old)
    place = _nearest(text, old)
    if place is None:
        return MatchError(
            f"old_string was not found{reason}; nothing was written.",
            hint="No line resembles it. Read the file again and copy the text exactly.",
        )
    return MatchError(
        f"old_string was not found{reason}; nothing was written.",
        hint=f"The nearest text is:\n{place}\nCopy it exactly, without the line numbers.",
    )


def numbered(lines: list[str], first: int, last: int) -> str:
    """Render lines ``first`` to ``last`` (from 1, inclusive) as Read does."""
    return "\n".join(
        f"{number:>6}\t{lines[number - 1][:_MAX_LINE_CHARS]}" for number in range(first, last + 1)
    )


def _cause(text: str, old: str) -> str:
    if old.endswith("\n") and text.endswith(old[:-1]):
        return ": the file has no line ending after its last line"
    if _spaceless(old) and _spaceless(old) in _spaceless(text):
        return f": the same text is there with other white space{_indent_words(text, old)}"
    return ""


def _indent_words(text: str, old: str) -> str:
    wanted, there = _indent(old), _indent(_block_like(text, old))
    if wanted == there or "mixed" in {wanted, there}:
        return ""
    return f" (the file indents with {there} there, old_string with {wanted})"


def _block_like(text: str, old: str) -> str:
    """Return the file's lines that equal the wanted ones but for white space."""
    wanted = {_spaceless(line) for line in old.split("\n")}
    return "\n".join(line for line in text.split("\n") if _spaceless(line) in wanted)


def _indent(text: str) -> str:
    tabs = re.search(r"^\t", text, re.MULTILINE) is not None
    spaces = re.search(r"^ ", text, re.MULTILINE) is not None
    if tabs and spaces:
        return "mixed"
    return "tabs" if tabs else "spaces" if spaces else "nothing"


def _spaceless(text: str) -> str:
    return "".join(text.split())


def _nearest(text: str, old: str) -> str | None:
    """Return the place most like the wanted text, with line numbers."""
    lines = text.split("\n")
    wanted = [line.strip()[:_MAX_LINE_CHARS] for line in old.strip("\n").split("\n")]
    anchor = max(range(len(wanted)), key=lambda index: len(wanted[index]))
    if not wanted[anchor]:
        return None
    at = _most_alike(lines, wanted[anchor])
    if at is None:
        return None
    first = max(1, at + 1 - anchor - _CONTEXT_LINES)
    last = min(len(lines), at + 1 - anchor + len(wanted) - 1 + _CONTEXT_LINES)
    if last - first >= _MAX_LINES_SHOWN:
        first, last = max(first, at + 1 - _CONTEXT_LINES), min(last, at + _MAX_LINES_SHOWN)
    return numbered(lines, first, last)


def _most_alike(lines: list[str], wanted: str) -> int | None:
    """Return the index of the line most like ``wanted``; None when none is much like it."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    best, best_at = _MIN_LIKENESS, None
    for index in _candidates(lines, wanted):
        candidate = lines[index].strip()[:_MAX_LINE_CHARS]
        if candidate == wanted:
            return index
        matcher.set_seq1(candidate)
        # The cheap upper bounds first: the exact ratio is quadratic.
        if matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best:
            continue
        likeness = matcher.ratio()
        if likeness > best:
            best, best_at = likeness, index
    return best_at


def _candidates(lines: list[str], wanted: str) -> list[int]:
    """Return the indexes of the lines that are worth comparing."""
    word = max(re.findall(r"\w+", wanted) or [wanted], key=len)
    sharing = [index for index, line in enumerate(lines) if word in line]
    return (sharing or list(range(len(lines))))[:_MAX_LINES_COMPARED]

"""Diffs as text lines."""

import difflib
from collections.abc import Callable
from pathlib import Path

from pilotfish.core.calls import DiffDisplay
from pilotfish.core.permission import FilePreview
from pilotfish.util.line_diff import split_lines
from pilotfish.util.visible import visible

MAX_DIFF_LINES = 200
"""Longest diff that is shown; the file itself has the rest."""

CONTEXT_LINES = 3


Change = DiffDisplay | FilePreview


def diff_lines(change: Change, here: Path | None, paint: Callable[[str, str], str]) -> list[str]:
    """Return a unified diff to be shown: without line ends, cut at ``MAX_DIFF_LINES``, coloured.

    Args:
        change: What changes.
        here: The folder from which the file is named; None for its whole path.
        paint: Gives a text one of the styles of ``paint``.
    """
    name = _named_from(here, change.path)
    old = [] if change.old_text is None else split_lines(change.old_text)
    new = split_lines(change.new_text)
    source = "/dev/null" if change.old_text is None else name
    lines = list(difflib.unified_diff(old, new, source, name, lineterm="", n=CONTEXT_LINES))
    if len(lines) > MAX_DIFF_LINES:
        rest = len(lines) - MAX_DIFF_LINES
        lines = [*lines[:MAX_DIFF_LINES], f"… {rest} more lines"]
    return [paint(visible(line), _style_of(line)) for line in lines]


def _named_from(here: Path | None, path: str) -> str:
    if here is None or not Path(path).is_relative_to(here):
        return path
    return str(Path(path).relative_to(here))


def _style_of(line: str) -> str:
    if line.startswith("+") and not line.startswith("+++"):
        return "green"
    if line.startswith("-") and not line.startswith("---"):
        return "red"
    return "dim"

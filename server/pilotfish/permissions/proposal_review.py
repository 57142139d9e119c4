"""What a person made of a proposed edit, told to the model.

Owns: telling which of the proposed places were taken, refused or changed, and the words for it. Pure.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pilotfish.core.permission import FilePreview
from pilotfish.util.line_diff import LineChange, split_lines, text_changes

MAX_PLACES = 20
"""Places that are named one by one; the others are counted."""

_MAX_LINE_CHARS = 80
"""Characters of a line that is quoted."""

Fate = Literal["accepted", "refused", "changed"]


class Place(NamedTuple):
    """One run of lines of a proposal."""

    fate: Fate
    line: int
    """Where it begins in the text that was written, from 1."""
    proposed: str
    """Its first line, or the first one that it deletes."""
    deletes: bool
    """Whether it only deletes lines."""


def told_of_change(proposed: FilePreview, agreed: FilePreview) -> str:
    """Return what the model should know when a person agreed to another text than it proposed."""
    if proposed.new_text == agreed.new_text:
        return ""
    places = places_of(proposed.old_text or "", proposed.new_text, agreed.new_text)
    others = [place for place in places if place.fate != "accepted"]
    if not others:
        return "The user agreed, and added changes of their own before the text was written; keep them."
    taken = len(places) - len(others)
    lines = [
        f"The user changed your proposal before it was written: of {len(places)} changed places "
        f"{taken} were accepted as they are. The others:"
    ]
    lines += [_line(place) for place in others[:MAX_PLACES]]
    if len(others) > MAX_PLACES:
        lines.append(f"- and {len(others) - MAX_PLACES} more")
    lines.append("Do not make a refused change again unless the user asks for it.")
    return "\n".join(lines)


def places_of(base: str, proposed: str, written: str) -> list[Place]:
    """Tell what became of each place of a proposal."""
    old, new, now = split_lines(base), split_lines(proposed), split_lines(written)
    edits = text_changes(proposed, written)
    places: list[Place] = []
    for change in text_changes(base, proposed):
        touching = [edit for edit in edits if _touches(edit, change)]
        fate: Fate = "accepted"
        line = change.new_start + _shift(edits, change)
        if touching:
            first, last = touching[0], touching[-1]
            low = min(change.new_start, first.old_start)
            high = max(change.new_end, last.old_end)
            line = first.new_start - (first.old_start - low)
            there = now[line : last.new_end + (high - last.old_end)]
            was = old[change.old_start : change.old_end]
            undone = [*new[low : change.new_start], *was, *new[change.new_end : high]]
            fate = "refused" if there == undone else "changed"
        deletes = change.new_start == change.new_end
        quoted = old[change.old_start] if deletes else new[change.new_start]
        places.append(Place(fate, line + 1, quoted.strip()[:_MAX_LINE_CHARS], deletes))
    return places


def _shift(edits: Sequence[LineChange], change: LineChange) -> int:
    """Return by how many lines the edits above move a place."""
    above = [edit for edit in edits if edit.old_end <= change.new_start]
    return above[-1].new_end - above[-1].old_end if above else 0


def _touches(edit: LineChange, change: LineChange) -> bool:
    """Tell whether an edit hits the lines of a place, or the gap that a deletion has left."""
    if change.new_start == change.new_end or edit.old_start == edit.old_end:
        return edit.old_start <= change.new_end and change.new_start <= edit.old_end
    return edit.old_start < change.new_end and change.new_start < edit.old_end


def _line(place: Place) -> str:
    what = f"deleting `{place.proposed}`" if place.deletes else f"`{place.proposed}`"
    if place.fate == "refused":
        return f"- line {place.line}: {what} was refused; the old text stays"
    return f"- line {place.line}: {what} was changed; what stands there now is the user's wish"

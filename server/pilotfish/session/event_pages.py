"""Part of a session's events, as a view gets them.

Owns: how large a page is and where it begins.
Does not own: where the events are (``session.log``).
"""

from collections.abc import Sequence
from typing import assert_never

from pilotfish.core.calls import DiffDisplay, TextDisplay, ToolDisplay
from pilotfish.core.commands import CommandAnswered, SkillInvoked
from pilotfish.core.events import (
    BlockFinished,
    EventRecord,
    PromptSubmitted,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from pilotfish.core.messages import ImageBlock, TextBlock, ToolUseBlock
from pilotfish.util.records import dataclass

PAGE_BYTES = 2 * 1024 * 1024
"""How much of a session a view gets at once, roughly; older pages are fetched when they are asked for."""

EVENT_BYTES = 200
"""What an event takes beside its texts, roughly."""

ANSWER_EVENTS = 2_000
"""How many one answer holds at most: however small they are, each is work for whoever sends and shows it."""

LEAST_PART = 0.25
"""A page begins with a turn if that leaves at least this part of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Events without a gap, the oldest first."""

    records: Sequence[EventRecord]
    has_earlier: bool
    """Whether events that were asked for came before these."""


def page_of(records: list[EventRecord], *, after: int, max_bytes: int = PAGE_BYTES) -> Page:
    """Return the latest of some events that fit a page.

    Args:
        records: Events without a gap, the oldest first; there may be others before them.
        after: The event that the page should follow; 0 for the beginning of the session.
        max_bytes: What the page may hold, roughly; at least one event is in it.
    """
    wanted = [record for record in records if record.seq > after]
    taken, start = 0, len(wanted)
    while start > 0 and (taken == 0 or taken + size_of(wanted[start - 1]) <= max_bytes):
        start -= 1
        taken += size_of(wanted[start])
    has_earlier = bool(wanted) and wanted[start].seq > after + 1
    if has_earlier:
        start = _turn_start(wanted, start)
    return Page(records=wanted[start:], has_earlier=has_earlier)


def for_an_answer(page: Page) -> Page:
    """Return the latest of a page's events that one answer may hold."""
    start = len(page.records) - ANSWER_EVENTS
    if start <= 0:
        return page
    records = list(page.records)
    return Page(records=records[_turn_start(records, start) :], has_earlier=True)


def size_of(record: EventRecord) -> int:
    """Return roughly how many bytes an event takes."""
    event = record.event
    match event:
        case BlockFinished(block=TextBlock(text=text)):
            return EVENT_BYTES + len(text)
        case BlockFinished(block=ToolUseBlock(input=given)) | ToolStarted(input=given):
            return EVENT_BYTES + sum(len(str(value)) for value in given.values())
        case ToolFinished(content=content, display=display):
            return EVENT_BYTES + _size(content) + sum(_display_size(one) for one in display)
        case CommandAnswered(text=text) | SkillInvoked(text=text):
            return EVENT_BYTES + len(text)
        case PromptSubmitted(content=content):
            return EVENT_BYTES + _size(content)
        case _:
            return EVENT_BYTES


def _size(content: Sequence[TextBlock | ImageBlock]) -> int:
    return sum(len(one.text if isinstance(one, TextBlock) else one.data) for one in content)


def _display_size(display: ToolDisplay) -> int:
    match display:
        case DiffDisplay(old_text=old, new_text=new):
            return len(old or "") + len(new)
        case TextDisplay(text=text):
            return len(text)
        case _:
            assert_never(display)


def _turn_start(records: list[EventRecord], start: int) -> int:
    """Return where the first turn begins, so that a page does not begin in the middle of a call."""
    for at in range(start, len(records)):
        if isinstance(records[at].event, TurnStarted):
            enough = len(records) - at >= LEAST_PART * (len(records) - start)
            return at if enough else start
    return start

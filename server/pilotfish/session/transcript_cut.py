"""Where the model's memory of a very long session begins when it is opened again.

Owns: how much of a transcript a request can hold at the most, and finding the turn to begin with.
Does not own: reading it (``session.transcript_reader``). Blocks on the disk.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from pilotfish.session import codec

CUT_ABOVE = 24_000_000
"""Weight above which a conversation is cut. The largest windows hold a million tokens, of which four
letters make one; lines hold what people see beside it."""

KEPT_WEIGHT = 12_000_000
"""What stays then, so that the next cut is far away."""

MAX_KEPT_BYTES = 96_000_000
"""Most of a file that may be kept, pictures included."""

MEDIA_WEIGHT = 10_000
"""What a picture or document weighs, however long its base64: a model pays by its size and pages."""

_MEDIA = re.compile(rb'"media_type":"')
_SEQ = re.compile(rb'\{"seq":(\d+),')


def find_cut(file: BinaryIO, first: int) -> int | None:
    """Return the event to begin with, the first of a turn; None where all may stay.

    Args:
        file: The transcript.
        first: The first event that counts.
    """
    size = file.seek(0, 2)
    if size <= CUT_ABOVE:
        return None
    start = max(0, size - MAX_KEPT_BYTES)
    turns: list[tuple[int, int]] = []
    weight = 0
    is_whole = start == 0
    for seq, line in _lines_from(file, start):
        if seq < first:
            is_whole = True
            continue
        if codec.kind_of(line) == b"turn_started":
            turns.append((seq, weight))
        weight += _weight(line)
    if weight <= CUT_ABOVE and is_whole:
        return None
    fitting = [seq for seq, before in turns if weight - before <= KEPT_WEIGHT]
    if fitting:
        return fitting[0]
    # One turn is longer than all that should stay.
    return turns[-1][0] if turns else None


def _weight(line: bytes) -> int:
    media = len(_MEDIA.findall(line))
    return media * MEDIA_WEIGHT if media else len(line)


def _lines_from(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines with their events' places."""
    file.seek(start)
    if start:
        file.readline()
    for line in file:
        seq = _SEQ.match(line)
        if seq is not None:
            yield int(seq[1]), line

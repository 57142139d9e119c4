"""Searching past sessions.

Owns: which sessions say something, and a snippet of where; a look at the bytes decides which lines are
read at all. Does not own: the list (``session.session_list``). Blocks on the disk.
"""

import json
import time
from collections.abc import Iterable
from pathlib import Path

from pilotfish.core.events import BlockFinished, PromptSubmitted
from pilotfish.core.messages import TextBlock, text_of
from pilotfish.session import codec
from pilotfish.session.agent_transcripts import agent_transcripts
from pilotfish.session.session_list import SessionSummary
from pilotfish.util.records import dataclass

MAX_FOUND = 50
"""Sessions that one search returns."""

SEARCH_LIMIT_S = 5.0
"""How long one search looks; what it has found by then is its answer."""

SNIPPET_CHARS = 60
"""What a snippet shows on either side of the words."""

_KINDS = (b"prompt_submitted", b"block_finished")


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundSession:
    """A session that says what was looked for."""

    summary: SessionSummary
    snippet: str
    """Where it says so; empty when its title does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """What a search found."""

    found: list[FoundSession]
    complete: bool
    """False when time or room ran out before all sessions were looked at."""


def search_sessions(
    sessions: Iterable[tuple[SessionSummary, Path]], query: str, limit_s: float = SEARCH_LIMIT_S
) -> SearchResult:
    """Return the sessions whose title, prompts or replies hold some words, in the order given."""
    until = time.monotonic() + limit_s
    needle = query.strip().casefold()
    found: list[FoundSession] = []
    for summary, path in sessions:
        if time.monotonic() > until or len(found) >= MAX_FOUND:
            return SearchResult(found=found, complete=False)
        in_title = needle in summary.title.casefold()
        snippet = "" if in_title else _look_into_all(path, needle, until)
        if in_title or snippet:
            found.append(FoundSession(summary=summary, snippet=snippet))
    return SearchResult(found=found, complete=True)


def _look_into_all(path: Path, needle: str, until: float) -> str:
    """Return where a session or one of its agents says something first; empty when none does."""
    for each in (path, *agent_transcripts(path)):
        snippet = _look_into(each, needle, until)
        if snippet or time.monotonic() > until:
            return snippet
    return ""


def _look_into(path: Path, needle: str, until: float) -> str:
    """Return where a transcript says something first; empty when it does not, or time runs out."""
    raw = json.dumps(needle, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    # Bytes know no other case than that of ASCII; other words are looked for in every line.
    plain = raw if needle.isascii() else b""
    try:
        with path.open("rb") as file:
            for line in file:
                if (plain and plain not in line.lower()) or codec.kind_of(line) not in _KINDS:
                    continue
                snippet = _snippet(line, needle)
                if snippet:
                    return snippet
                if time.monotonic() > until:
                    return ""
    except OSError:
        return ""
    return ""


def _snippet(line: bytes, needle: str) -> str:
    record = codec.from_line(line)
    match record.event if record is not None else None:
        case PromptSubmitted(content=content):
            text = text_of(content)
        case BlockFinished(block=TextBlock(text=said)):
            text = said
        case _:
            return ""
    at = text.casefold().find(needle)
    if at < 0:
        return ""
    start, end = max(0, at - SNIPPET_CHARS), at + len(needle) + SNIPPET_CHARS
    words = " ".join(text[start:end].split())
    return ("…" if start else "") + words + ("…" if end < len(text) else "")

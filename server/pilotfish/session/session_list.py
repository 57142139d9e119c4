"""Sessions as a list shows them.

Owns: what is read of a transcript to list it: its head, and the last title that was given. What is known
of a file is kept; when it has grown only the new part is looked at.
Does not own: the folder (``session.transcript_store``). Blocks on the disk.
"""

import re
from pathlib import Path

from pilotfish.core.events import PromptSubmitted, SessionCreated, TitleChanged, TurnStarted
from pilotfish.core.ids import SessionId
from pilotfish.core.messages import text_of
from pilotfish.session import codec
from pilotfish.session.transcript_reader import last_line_of_kind
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import first_line, shortened

HEAD_BYTES = 64 * 1024
"""How much of a file is read to find its first prompt."""

MAX_SLUG_CHARS = 80
"""Folder names stay readable and below every file system's limit."""

MAX_TITLE_CHARS = 80
"""A title fits a line."""

MAX_KNOWN = 10_000
"""Files that are remembered."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSummary:
    """A session as a list shows it."""

    session_id: SessionId
    cwd: str
    """Its folder; empty where the transcript has lost the line that says it, and is too old to repeat it."""
    title: str
    updated_ms: int
    """Wall clock of the last write, milliseconds since the epoch."""
    size_bytes: int = 0
    """How long the transcript is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Known:
    size: int
    mtime_ns: int
    session_id: SessionId
    cwd: str
    """Empty where nothing tells it."""
    title: str
    has_prompt: bool


class SessionList:
    """Summaries of transcripts, remembered by file."""

    def __init__(self) -> None:
        self._known: dict[Path, _Known] = {}

    def summary_of(self, path: Path) -> SessionSummary | None:
        """Return what a list shows of a transcript; None when it holds no prompt."""
        try:
            known = self._look_at(path)
        except OSError:
            return None
        if not known.title:
            return None
        return SessionSummary(
            session_id=known.session_id,
            cwd=known.cwd,
            title=known.title,
            updated_ms=known.mtime_ns // 1_000_000,
            size_bytes=known.size,
        )

    def _look_at(self, path: Path) -> _Known:
        found = path.stat()
        known = self._known.get(path)
        if known is not None and (known.size, known.mtime_ns) == (found.st_size, found.st_mtime_ns):
            return known
        is_whole = known is not None and known.has_prompt and bool(known.cwd)
        if known is None or not is_whole or found.st_size < known.size:
            known = _read_head(path, found.st_size)
        since = known.size if known.mtime_ns else 0
        title = _last_title(path, since) or known.title
        known = _Known(
            size=found.st_size,
            mtime_ns=found.st_mtime_ns,
            session_id=known.session_id,
            cwd=known.cwd,
            title=title,
            has_prompt=known.has_prompt,
        )
        if len(self._known) >= MAX_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[path] = known
        return known


def title_in(path: Path) -> str:
    """Return the name of the session in a transcript; its id when it has none."""
    summary = SessionList().summary_of(path)
    return path.stem if summary is None else summary.title


def title_of(text: str) -> str:
    """Return a session title for a first prompt: its first line, cut."""
    return shortened(first_line(text, MAX_TITLE_CHARS + 1), MAX_TITLE_CHARS)


def slug_of(cwd: Path) -> str:
    """Return a readable folder name for a project's path."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", str(cwd)).strip("-")
    return slug[-MAX_SLUG_CHARS:] or "root"


def _read_head(path: Path, size: int) -> _Known:
    """Read the beginning of a transcript."""
    with path.open("rb") as file:
        lines = file.read(HEAD_BYTES).splitlines()
    created: SessionCreated | None = None
    prompt = cwd = ""
    for line in lines:
        record = codec.from_line(line)
        match record.event if record is not None else None:
            case SessionCreated() as event:
                created = created or event
            case PromptSubmitted() as event if not prompt:
                prompt = title_of(text_of(event.content))
            case TurnStarted() as event if not cwd:
                cwd = event.cwd
            case _:
                pass
    created = created or _later_beginning(path)
    has_prompt = bool(prompt)
    return _Known(
        size=size,
        mtime_ns=0,
        session_id=SessionId(path.stem) if created is None else created.session_id,
        cwd=cwd if created is None else created.cwd,
        title=prompt,
        has_prompt=has_prompt,
    )


def _later_beginning(path: Path) -> SessionCreated | None:
    """Return what was put at the end of a transcript in the place of a lost first line."""
    with path.open("rb") as file:
        line = last_line_of_kind(file, b"session_created")
    record = None if line is None else codec.from_line(line)
    return record.event if record and isinstance(record.event, SessionCreated) else None


def _last_title(path: Path, since: int) -> str:
    """Return the last title that a transcript gives from a place on; empty when there is none."""
    with path.open("rb") as file:
        line = last_line_of_kind(file, b"title_changed", since)
    record = None if line is None else codec.from_line(line)
    if record is None or not isinstance(record.event, TitleChanged):
        return ""
    return record.event.title

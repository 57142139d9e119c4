"""A stored session as one document, what its agents did included.

Owns: which transcripts the document is made of and in which order, how long one may be.
Does not own: their form (``session.markdown_export``). Blocks on the disk.
"""

from collections.abc import Iterator
from pathlib import Path

from pilotfish.core.agent_events import AgentStarted
from pilotfish.core.errors import SessionError
from pilotfish.session.agent_transcripts import agent_transcript
from pilotfish.session.markdown_export import to_markdown
from pilotfish.session.session_list import title_in
from pilotfish.session.transcript_reader import read_records
from pilotfish.util.redact import Redactor

MAX_EXPORT_CHARS = 8_000_000
"""A document that an editor opens with ease; longer sessions are exported on the command line."""


def whole_document(transcript: Path) -> str:
    """Return a session as Markdown without secrets.

    Raises:
        SessionError: It is too long for one document.
    """
    pieces: list[str] = []
    size = 0
    for piece in document_of(transcript, Redactor(home=Path.home())):
        size += len(piece)
        if size > MAX_EXPORT_CHARS:
            raise SessionError(
                "The session is too long to be shown as one document.",
                hint=f"Write it to a file: pilotfish sessions export {transcript.stem} > session.md",
            )
        pieces.append(piece)
    return "".join(pieces)


def document_of(transcript: Path, redactor: Redactor) -> Iterator[str]:
    """Yield a session as Markdown without secrets, piece by piece: its own part, then each agent's.

    Args:
        transcript: The session's own.
        redactor: Takes secrets out.
    """
    yield from to_markdown(title_in(transcript), read_records(transcript), redactor)
    for record in read_records(transcript):
        if not isinstance(record.event, AgentStarted):
            continue
        facts = record.event.facts
        path = agent_transcript(transcript, facts.agent_id)
        if path.is_file():
            yield "\n"
            title = f"Agent {facts.agent_type}: {facts.description}"
            yield from to_markdown(title, read_records(path), redactor)

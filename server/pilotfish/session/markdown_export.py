"""A session as a Markdown document, for people.

Owns: what of a session such a document holds, and its form. Texts are redacted on the way.
Does not own: reading the transcript, what is secret (``util.redact``).
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from pilotfish.core.commands import CommandAnswered, CommandTyped
from pilotfish.core.events import (
    BlockFinished,
    ContextCleared,
    ConversationRewound,
    DecisionMade,
    EventRecord,
    PromptSubmitted,
    SessionCreated,
    SessionEvent,
    ToolFinished,
    ToolStarted,
    TurnEnded,
)
from pilotfish.core.messages import ImageBlock, TextBlock, text_of
from pilotfish.util.fenced import fenced
from pilotfish.util.redact import Redactor

MAX_RESULT_CHARS = 2_000
"""As much of a tool's result as the document shows."""


def to_markdown(title: str, records: Iterable[EventRecord], redactor: Redactor) -> Iterator[str]:
    """Yield the document piece by piece."""
    yield f"# {_line(redactor.text(title))}\n\n"
    for record in records:
        for piece in _pieces(record.event):
            yield redactor.text(piece)
        if isinstance(record.event, SessionCreated):
            began = datetime.fromtimestamp(record.time_ms / 1000, UTC)
            yield f"\nBegun {began:%Y-%m-%d %H:%M} UTC\n\n"


def _pieces(event: SessionEvent) -> Iterator[str]:  # noqa: C901 - one flat table
    match event:
        case SessionCreated(session_id=session_id, cwd=cwd, model=model):
            yield f"Session {session_id} in `{cwd}`, model {model or 'not chosen'}.\n"
        case PromptSubmitted(content=content) | CommandTyped(content=content):
            images = sum(isinstance(block, ImageBlock) for block in content)
            yield f"\n## You\n\n{text_of(content)}\n" + "\n*(image)*\n" * images
        case BlockFinished(block=TextBlock(text=text)) | CommandAnswered(text=text) if text.strip():
            yield f"\n## Pilotfish\n\n{text.strip()}\n"
        case ToolStarted(tool=tool, title=title):
            yield f"\n**{tool}** {_line(title)}\n"
        case DecisionMade(behavior="deny", reason=reason):
            yield f"\nDenied: {_line(reason)}\n"
        case ToolFinished(status=status, content=content):
            text = text_of(content).strip()
            if status != "completed":
                yield f"\n*({status})*\n"
            if text:
                yield _block(text)
        case ContextCleared(kept_from=None):
            yield "\n---\n\n*The model forgot what came before.*\n"
        case ConversationRewound():
            yield "\n---\n\n*The conversation went back to before an earlier prompt.*\n"
        case TurnEnded(message=message) if message:
            yield f"\n> {_line(message)}\n"
        case _:
            pass


def _block(text: str) -> str:
    """Return a result as a block of its own, within its limit."""
    if len(text) > MAX_RESULT_CHARS:
        left_out = len(text) - MAX_RESULT_CHARS
        text = f"{text[:MAX_RESULT_CHARS]}\n… {left_out} more characters"
    return f"\n{fenced(text, 'text')}\n"


def _line(text: str) -> str:
    return " ".join(text.split())

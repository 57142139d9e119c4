"""Questions that wait in sessions which are not open.

Owns: what the end of a transcript says of them. Blocks on the disk.
Does not own: putting them again (``session.recovery``, once the session is opened).
"""

from collections.abc import Iterable
from pathlib import Path

from pilotfish.core.dialogs import Question
from pilotfish.core.events import QuestionAsked, QuestionResolved, TurnEnded
from pilotfish.core.ids import MAIN_AGENT, RequestId, SessionId, ToolUseId
from pilotfish.session import codec
from pilotfish.session.session_list import SessionSummary
from pilotfish.util.records import dataclass

TAIL_BYTES = 512 * 1024
"""How much of a transcript's end is read: the turn stands still while its question is open."""

MAX_LOOKED_AT = 200
"""Sessions that are looked at, the latest first."""

_ASKED = b'"question_asked"'


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingSession:
    """A question that is put again when its session is opened."""

    session_id: SessionId
    session_title: str
    tool_use_id: ToolUseId
    """The call that it is about."""
    title: str
    asked_ms: int
    """Wall clock of the question, milliseconds since the epoch."""


def waiting_sessions(
    sessions: Iterable[tuple[SessionSummary, Path]],
) -> list[WaitingSession]:
    """Return the questions that wait in some sessions, oldest first."""
    found: list[WaitingSession] = []
    for _, (summary, path) in zip(range(MAX_LOOKED_AT), sessions, strict=False):
        found.extend(
            WaitingSession(
                session_id=summary.session_id,
                session_title=summary.title,
                tool_use_id=question.tool_use_id,
                title=question.title,
                asked_ms=question.created_at_ms,
            )
            for question in _open_questions(path)
        )
    return sorted(found, key=lambda one: one.asked_ms)


def _open_questions(path: Path) -> list[Question]:
    """Return the main agent's open questions; whoever else asked has ended with its process."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - TAIL_BYTES))
            tail = file.read(TAIL_BYTES)
    except OSError:
        return []
    if _ASKED not in tail:
        return []
    waiting: dict[RequestId, Question] = {}
    for line in tail.splitlines():
        if codec.kind_of(line) not in (b"question_asked", b"question_resolved", b"turn_ended"):
            continue
        record = codec.from_line(line)
        match record.event if record is not None else None:
            case QuestionAsked(question=question):
                waiting[question.request_id] = question
            case QuestionResolved(request_id=request_id):
                waiting.pop(request_id, None)
            case TurnEnded():
                waiting.clear()
            case _:
                pass
    return [one for one in waiting.values() if one.agent_id == MAIN_AGENT]

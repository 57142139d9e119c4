"""Where the agents of a session keep their transcripts.

Owns: their place beside the session's own transcript, which there are, what one comes to, how it ended
where nobody wrote that, what happens to them when the session is copied.
Does not own: writing and reading one (``session.transcript``, ``session.transcript_reader``).
Blocks on the disk.
"""

import logging
from pathlib import Path

from pilotfish.core.agent_events import AgentStarted
from pilotfish.core.agents import AgentEntry, AgentOutcome
from pilotfish.core.ids import AgentId, SessionId, TurnId
from pilotfish.session import codec
from pilotfish.session.fork import write_copy
from pilotfish.session.state import SessionData
from pilotfish.session.transcript_reader import read_records
from pilotfish.util.records import dataclass

_REPLIES = frozenset({b"reply_finished", b"reply_discarded"})

logger = logging.getLogger(__name__)


def agents_folder(transcript: Path) -> Path:
    """Return the folder that holds what the agents of a session have written of themselves."""
    return transcript.with_suffix("")


def agent_transcript(transcript: Path, agent: AgentId) -> Path:
    """Return where an agent of a session keeps its transcript.

    Args:
        transcript: The session's own.
        agent: The agent.
    """
    return agents_folder(transcript) / f"agent-{agent}.jsonl"


def agent_transcripts(transcript: Path) -> list[Path]:
    """Return the transcripts of a session's agents, ordered by their names."""
    return sorted(agents_folder(transcript).glob("agent-*.jsonl"))


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTrace:
    """What an agent that nobody runs any more had used up to its last sign of life."""

    tokens: int = 0
    tool_uses: int = 0
    last_ms: int = 0
    """When its last event happened, wall clock; 0 when there is none."""


def trace_of(path: Path) -> AgentTrace:
    """Return what the transcript of an agent comes to, without reading its contents."""
    data, tool_uses, last = SessionData(), 0, b""
    try:
        with path.open("rb") as file:
            for line in file:
                kind = codec.kind_of(line)
                tool_uses += kind == b"tool_started"
                if kind in _REPLIES and (record := codec.from_line(line)) is not None:
                    data.apply(record)
                last = line if line.endswith(b"\n") else last
    except OSError as error:
        logger.warning("%s cannot be read: %s", path, error)
    record = codec.from_line(last) if last else None
    return AgentTrace(
        tokens=data.used.total.usage.context_tokens,
        tool_uses=tool_uses,
        last_ms=0 if record is None else record.time_ms,
    )


def outcome_of(trace: AgentTrace, entry: AgentEntry, why: str) -> AgentOutcome:
    """Return the end of an agent that nobody runs any more: it was killed with its last sign of life."""
    facts = entry.facts
    ended_ms = trace.last_ms or facts.started_ms
    return AgentOutcome(
        status="killed",
        text="",
        error=why,
        total_tokens=trace.tokens,
        tool_uses=trace.tool_uses,
        duration_ms=max(0, ended_ms - facts.started_ms - entry.idle_ms),
        ended_ms=ended_ms,
        worktree_kept=None if facts.owns_worktree else facts.worktree is not None,
    )


def copy_agents(source: Path, target: Path, copy_id: SessionId) -> frozenset[TurnId]:
    """Give the copy of a session the transcripts of the agents that it knows.

    Args:
        source: The transcript that was copied.
        target: The copy, which is there already.
        copy_id: Its session.

    Returns:
        The turns of these agents.

    Raises:
        OSError: A file cannot be read or written.
    """
    turns: set[TurnId] = set()
    for record in read_records(target):
        if not isinstance(record.event, AgentStarted):
            continue
        agent = record.event.facts.agent_id
        path = agent_transcript(source, agent)
        if path.is_file():
            copy = agent_transcript(target, agent)
            turns |= write_copy(copy, read_records(path), copy_id)
    return frozenset(turns)

"""Agents of a session that are not kept at hand any more.

Owns: finding one in the session's transcript, which knows them all.
Does not own: which ones are kept at hand (a fold in ``session.state``), setting one to work again
(``session.subagents``).
"""

import asyncio
import logging
from pathlib import Path

from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentStarted,
    AgentTold,
    AgentTreeSettled,
)
from pilotfish.core.agents import AgentEntry, AgentFacts
from pilotfish.core.errors import AgentError, SessionError
from pilotfish.core.ids import AgentId
from pilotfish.session import codec
from pilotfish.session.log import EventLog
from pilotfish.session.state import SessionData
from pilotfish.session.transcript_reader import BUFFER_BYTES

logger = logging.getLogger(__name__)

_Change = AgentBackgrounded | AgentEnded | AgentTold | AgentTreeSettled | AgentResumed

_START = b"agent_started"
_CHANGES = frozenset(
    {b"agent_backgrounded", b"agent_ended", b"agent_told", b"agent_tree_settled", b"agent_resumed"}
)


async def forgotten(log: EventLog, address: str) -> AgentEntry | None:
    """Return an agent that a session does not keep at hand, by its id or as the latest one of a name.

    Raises:
        AgentError: The session's transcript cannot be read; says why.
    """
    try:
        await log.flush()
    except SessionError as error:
        logger.warning("what is not written yet is left out: %s", error)
    try:
        return await asyncio.to_thread(_find, log.path, address)
    except OSError as error:
        raise AgentError(
            f"The transcript {log.path} cannot be read: {error.strerror}.",
            hint="Start a new agent with all that it has to know.",
        ) from error


def _find(transcript: Path, address: str) -> AgentEntry | None:
    found: dict[AgentId, SessionData] = {}
    wanted = address.encode()
    with transcript.open("rb", buffering=BUFFER_BYTES) as file:
        for line in file:
            kind = codec.kind_of(line)
            if kind == _START and wanted in line:
                _begin(found, line, address)
            elif kind in _CHANGES and found:
                _go_on(found, line)
    by_id = found.get(AgentId(address))
    latest = by_id or next(reversed(found.values()), None)
    return None if latest is None else next(iter(latest.agents.values()))


def _begin(found: dict[AgentId, SessionData], line: bytes, address: str) -> None:
    record = codec.from_line(line)
    if record is None or not isinstance(record.event, AgentStarted):
        return
    facts: AgentFacts = record.event.facts
    if address in (facts.agent_id, facts.name):
        found[facts.agent_id] = SessionData()
        found[facts.agent_id].apply(record)


def _go_on(found: dict[AgentId, SessionData], line: bytes) -> None:
    if not any(agent.encode() in line for agent in found):
        return
    record = codec.from_line(line)
    if record is not None and isinstance(record.event, _Change):
        data = found.get(record.event.agent_id)
        if data is not None:
            data.apply(record)

"""The conversation of an agent, beside that of the session which it works for.

Owns: making one, and reading what an agent has said before. Does not own: its transcript's place
(``session.agent_transcripts``), who works in it (``session.subagents``).
"""

import logging

from pilotfish.core.agents import AgentFacts
from pilotfish.core.errors import SessionError
from pilotfish.ports.clock import ClockPort
from pilotfish.session.agent_transcripts import agent_transcript
from pilotfish.session.log import EventLog
from pilotfish.session.session import Session
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)


def agent_session(facts: AgentFacts, main: Session, clock: ClockPort, turns: TaskScope) -> Session:
    """Return a conversation of an agent's own, empty so far.

    Args:
        facts: The agent.
        main: The session that it works for.
        clock: For the times.
        turns: What its turns run in.
    """
    log = EventLog(
        TranscriptWriter(agent_transcript(main.log.path, facts.agent_id)), clock, facts.agent_id
    )
    return Session(main.id, log, clock, turns, agent_id=facts.agent_id, main=main)


async def is_restored(session: Session) -> bool:
    """Read what an agent has said and done before; False when there is nothing of it."""
    try:
        return (await session.log.restore()).created is not None
    except SessionError as error:
        logger.warning("%s cannot go on: %s", session.agent_id, error)
        return False

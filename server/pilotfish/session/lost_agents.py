"""Agents that an earlier process ran, and that ended with it.

Owns: how each of them ended, as events and in its output file.
Does not own: which ones they are, and what follows an end (``session.subagents``).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from pilotfish.core.agent_events import AgentBackgrounded, AgentEnded
from pilotfish.core.agents import AgentEntry, unheard_by
from pilotfish.session.agent_output import note_lost
from pilotfish.session.agent_transcripts import agent_transcript, outcome_of, trace_of
from pilotfish.session.log import EventLog

LOST_TEXT = "Pilotfish ended while it worked; a message to it lets it go on"
"""Why such an agent ended."""


async def end_lost(root: EventLog, lost: Sequence[AgentEntry]) -> None:
    """Say of agents that they have ended, and with what, as far as their transcripts tell.

    Args:
        root: The events of the session that they belong to.
        lost: Agents that no process runs any more, oldest first.
    """
    traces = await asyncio.to_thread(
        lambda: [trace_of(agent_transcript(root.path, one.agent_id)) for one in lost]
    )
    for entry in lost:
        if not entry.is_background:  # the call that waited for it is closed without its id
            root.emit(AgentBackgrounded(agent_id=entry.agent_id))
    for entry, trace in zip(lost, traces, strict=True):
        unheard = unheard_by(entry.agent_id, root.data.agents)
        outcome = replace(outcome_of(trace, entry, LOST_TEXT), unheard=unheard)
        root.emit(AgentEnded(agent_id=entry.agent_id, outcome=outcome))


async def note_ends(lost: Sequence[AgentEntry]) -> None:
    """Have the output files of such agents say so."""
    for entry in lost:
        await asyncio.to_thread(note_lost, entry.facts, LOST_TEXT)

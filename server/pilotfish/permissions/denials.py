"""Breaking request and refusal loops.

Owns: the counters of design 05 §11.3 and the reminder that they lead to.
Does not own: when a refusal counts (``gate``).
"""

from pilotfish.core.events import NoteAdded
from pilotfish.core.ids import AgentId

MAX_CONSECUTIVE = 3
"""Refusals of one tool in a row after which the model is told to change its approach."""

MAX_TOTAL = 20
"""Refusals of one agent after which it is told so, again and again each time as many came."""


class DenialTracker:
    """Counts refusals per agent. One per session."""

    def __init__(self) -> None:
        self._consecutive: dict[tuple[AgentId, str], int] = {}
        self._total: dict[AgentId, int] = {}
        self._notes: dict[AgentId, list[NoteAdded]] = {}

    def refused(self, agent: AgentId, tool: str) -> None:
        """Count a refusal by a rule, the mode or the user (not one with feedback)."""
        in_a_row = self._consecutive.get((agent, tool), 0) + 1
        total = self._total.get(agent, 0) + 1
        self._consecutive[agent, tool] = in_a_row
        self._total[agent] = total
        if in_a_row >= MAX_CONSECUTIVE:
            self._consecutive[agent, tool] = 0
            self._remind(agent, f"{in_a_row} calls of {tool} in a row were refused.")
        elif total % MAX_TOTAL == 0:
            self._clear(agent)
            self._remind(agent, f"{total} calls were refused so far.")

    def succeeded(self, agent: AgentId) -> None:
        """Take note that a call of the agent ran to a good end."""
        self._clear(agent)

    def source(self, agent: AgentId) -> "DenialNotes":
        """Return the agent's reminders as a source of notes for its model."""
        return DenialNotes(self, agent)

    def take_notes(self, agent: AgentId) -> list[NoteAdded]:
        """Return the reminders that are due, each once."""
        return self._notes.pop(agent, [])

    def _clear(self, agent: AgentId) -> None:
        for key in [key for key in self._consecutive if key[0] == agent]:
            del self._consecutive[key]

    def _remind(self, agent: AgentId, what: str) -> None:
        text = (
            f"{what} Do not try the same again in another form. Choose a way that needs no such "
            "call, or tell the user what you need and why."
        )
        self._notes.setdefault(agent, []).append(NoteAdded(text=text, origin="denials"))


class DenialNotes:
    """Implements ``ports.attachments.AttachmentSource`` for one agent."""

    def __init__(self, tracker: DenialTracker, agent: AgentId) -> None:
        self._tracker = tracker
        self._agent = agent

    async def collect(self) -> list[NoteAdded]:
        """Return the reminders since the last call."""
        return self._tracker.take_notes(self._agent)

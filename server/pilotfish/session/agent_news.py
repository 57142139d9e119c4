"""What an agent hears of the agents that it has started.

Owns: telling of each end exactly once, to whoever started the agent; the form of that note.
Does not own: the ends (a fold in ``session.state``), when an agent listens (``engine.turn``).
See also: design 01 §7.1.
"""

import asyncio
import html
from collections.abc import Callable

from pilotfish.core.agent_events import AgentEnded, AgentTold, AgentTreeSettled
from pilotfish.core.agents import AgentEntry, AgentOutcome, of_unheard
from pilotfish.core.events import EventRecord, NoteAdded
from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.session.log import EventLog

MAX_RESULT_CHARS = 4_000
"""Of an agent's last words, what the note about its end holds; the output file has them all."""

MAX_TOGETHER_CHARS = 40_000
"""The same for all notes that one agent gets at once."""

LEAST_RESULT_CHARS = 400
"""What each of many agents that end together may say all the same."""


class AgentNews:
    """The ends of one agent's agents; implements ``ports.attachments.AttachmentSource``."""

    def __init__(self, root: EventLog, recipient: AgentId, wake: Callable[[], None]) -> None:
        """Set it up.

        Args:
            root: The events of the session, which hold what became of all of its agents.
            recipient: The agent that is told, and that has started the others.
            wake: Called when there is news that nobody knows of yet.
        """
        self._root = root
        self._recipient = recipient
        self._wake = wake
        self._arrived = asyncio.Event()
        self._stop_listening = root.listen(self._hear)

    @property
    def waiting(self) -> list[AgentEntry]:
        """The ended agents that the recipient has not been told of."""
        return [
            entry
            for entry in self._root.data.agents.values()
            if entry.facts.parent == self._recipient
            and entry.is_background
            and entry.outcome is not None
            and entry.outcome.worktree_kept is not None
            and not entry.told
        ]

    @property
    def running(self) -> list[AgentEntry]:
        """The agents in the background that the recipient has started and of whose end nothing is said yet."""
        return [
            entry
            for entry in self._root.data.agents.values()
            if entry.facts.parent == self._recipient
            and entry.is_background
            and (entry.outcome is None or entry.outcome.worktree_kept is None)
        ]

    async def arrived(self) -> None:
        """Wait until there is something to hear of, or nothing any more that could come."""
        while self.running and not self.waiting:
            self._arrived.clear()
            await self._arrived.wait()

    async def collect(self) -> list[NoteAdded]:
        """Return what the recipient has to hear, each once."""
        waiting = self.waiting
        room = max(LEAST_RESULT_CHARS, MAX_TOGETHER_CHARS // max(1, len(waiting)))
        notes: list[NoteAdded] = []
        for entry in waiting:
            text = notification(entry, min(MAX_RESULT_CHARS, room))
            notes.append(NoteAdded(text=text, origin="task", agent_id=entry.agent_id))
            if self._recipient != MAIN_AGENT:
                # The note goes to another list of events than the one that says who was told.
                self._root.emit(AgentTold(agent_id=entry.agent_id))
        return notes

    def close(self) -> None:
        """Wake nobody any more."""
        self._stop_listening()

    def _hear(self, record: EventRecord) -> None:
        event = record.event
        if not isinstance(event, AgentEnded | AgentTreeSettled):
            return
        entry = self._root.data.agents.get(event.agent_id)
        outcome = None if entry is None else entry.outcome
        if entry is None or entry.facts.parent != self._recipient or not entry.is_background:
            return
        if outcome is None or outcome.worktree_kept is None:
            return  # what became of its worktree belongs to the news
        self._arrived.set()
        # Whoever stopped it knows, and the model hears in time.
        if outcome.status != "killed" and not entry.told:
            self._wake()


def notification(entry: AgentEntry, max_chars: int = MAX_RESULT_CHARS) -> str:
    """Tell how an agent ended. What it wrote is escaped: it must not forge a tag.

    Args:
        entry: An agent that has ended.
        max_chars: How much of its last words the note may hold.
    """
    facts, outcome = entry.facts, entry.outcome
    if outcome is None:
        raise ValueError(f"{facts.agent_id} has not ended")
    fields = {
        "task-id": facts.agent_id,
        "tool-use-id": facts.parent_call or "",
        "output-file": facts.output_path,
        "status": outcome.status,
        "summary": _summary(entry, outcome),
        "result": _shortened(outcome.text, max_chars, facts.output_path),
    }
    lines = [
        f"<{name}>{html.escape(text, quote=False)}</{name}>"
        for name, text in fields.items()
        if text
    ]
    lines.append(_usage(outcome))
    if facts.worktree is not None and outcome.worktree_kept:
        path, branch = (html.escape(one, quote=False) for one in _place(entry))
        lines.append(f"<worktree><path>{path}</path><branch>{branch}</branch></worktree>")
    return "\n".join(["<task-notification>", *lines, "</task-notification>"])


def _summary(entry: AgentEntry, outcome: AgentOutcome) -> str:
    facts = entry.facts
    what = {"completed": "has finished", "failed": "failed", "killed": "was stopped"}
    text = f"The agent {facts.description!r} ({facts.agent_type}) {what[outcome.status]}"
    why = outcome.error.strip().rstrip(".")
    text += f": {why}." if why else "."
    text += f" {of_unheard(outcome)}" if outcome.unheard else ""
    return text if outcome.status == "completed" else f"{text} A message to it lets it go on."


def _shortened(text: str, max_chars: int, output_path: str) -> str:
    if len(text) <= max_chars:
        return text
    rest = f"… {len(text) - max_chars} more characters"
    return f"{text[:max_chars]}\n{rest}" + (f" in {output_path}" if output_path else "")


def _usage(outcome: AgentOutcome) -> str:
    return (
        f"<usage><total_tokens>{outcome.total_tokens}</total_tokens>"
        f"<tool_uses>{outcome.tool_uses}</tool_uses>"
        f"<duration_ms>{outcome.duration_ms}</duration_ms></usage>"
    )


def _place(entry: AgentEntry) -> tuple[str, str]:
    tree = entry.facts.worktree
    return ("", "") if tree is None else (tree.path, tree.branch)

"""Agents as a list shows them.

Owns: the row, and the one rule that says which rows are listed and in which order.
Does not own: where rows come from and when they go (``session.agent_roster``).
See also: design 04 §1.6.
"""

from collections.abc import Iterable

from pilotfish.core.agents import AgentEntry
from pilotfish.util.records import dataclass

DISMISSED = 0
"""As the time when a row goes: somebody does not want it any more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRow:
    """An agent at one moment. Elapsed time is for whoever shows it to count."""

    entry: AgentEntry
    tokens: int
    """What it has used so far."""
    tool_uses: int
    activity: str
    """What it does now, in a few words; may be empty."""
    activity_tool: str
    """The tool that these words are the title of; empty with them."""
    open_questions: int
    """How many of its questions wait for the user."""
    evict_at_ms: int | None
    """When its row goes by itself, wall clock; None while it runs or is looked at."""

    @property
    def ended_ms(self) -> int | None:
        """When it ended, wall clock; None while it runs."""
        return None if self.entry.outcome is None else self.entry.outcome.ended_ms


def listed(rows: Iterable[AgentRow], now_ms: int) -> list[AgentRow]:
    """Return the rows that a list shows: those in the background whose time has not run out.

    Ordered by their start, so that the place of a row stays while others are added.
    """
    shown = (
        row
        for row in rows
        if row.entry.is_background and (row.evict_at_ms is None or row.evict_at_ms > now_ms)
    )
    return sorted(shown, key=lambda row: row.entry.facts.started_ms)


def with_work(rows: Iterable[AgentRow], now_ms: int) -> list[AgentRow]:
    """Return the rows of ended agents whose own worktrees hold work, and which no list shows any more.

    They are how that work is found again; whoever does not want it dismisses them.
    """
    every = list(rows)
    shown = {row.entry.agent_id for row in listed(every, now_ms)}
    return [
        row
        for row in every
        if row.entry.outcome is not None
        and row.entry.outcome.worktree_kept is True
        and row.entry.facts.owns_worktree
        and row.entry.agent_id not in shown
        and row.evict_at_ms != DISMISSED
    ]


def in_foreground(rows: Iterable[AgentRow]) -> list[AgentRow]:
    """Return the rows of agents that run within a tool call, for the card of the call."""
    return [row for row in rows if row.entry.status == "running" and not row.entry.is_background]

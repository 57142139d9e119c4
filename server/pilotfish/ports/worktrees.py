"""Worktrees as the tools see them."""

from typing import Protocol

from pilotfish.core.ids import AgentId, TaskId
from pilotfish.core.worktree_events import SessionWorktree
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class LeavingFacts:
    """What would become of a worktree."""

    worktree: SessionWorktree
    is_clean: bool
    """Whether it is certain that removing it loses nothing."""
    changes: str
    """What it holds that is nowhere else, in a few words."""
    workers: tuple[AgentId, ...] = ()
    """Agents that work in it: it is not removed from under them."""
    commands: tuple[TaskId, ...] = ()
    """Commands in the background that were begun in it: it is not removed from under them either."""

    sessions: tuple[str, ...] = ()
    """Other conversations that work in it."""

    @property
    def held_by(self) -> str:
        """Why it stays whatever anybody agrees to; empty when nobody works in it."""
        if self.sessions:
            return (
                f"The worktree {self.worktree.path} is not removed: other conversations work in it "
                f"({', '.join(self.sessions)}). Leave it with the action keep; the last one out may "
                "remove it."
            )
        agents = f"agents work in it ({', '.join(self.workers)})" if self.workers else ""
        named = ", ".join(self.commands)
        commands = f"commands run in it in the background ({named})" if self.commands else ""
        why = " and ".join(filter(None, (agents, commands)))
        if not why:
            return ""
        return (
            f"The worktree {self.worktree.path} is not removed: {why}. Wait for their end, or stop "
            "them with TaskStop."
        )


class WorktreePort(Protocol):
    """Where a session works. ``session.session_worktree`` implements it."""

    @property
    def current(self) -> SessionWorktree | None:
        """The worktree that it works in; None in its own folder."""
        ...

    def problem(self, name: str | None) -> str:
        """Return why no worktree of that name can be entered now; empty when nothing is known against it."""
        ...

    async def enter(self, name: str | None) -> SessionWorktree:
        """Make a worktree, or take the one that is there, and work in it.

        Args:
            name: How it is called; None: after the session.

        Raises:
            WorkspaceError: It cannot be made; says why.
        """
        ...

    async def look(self) -> LeavingFacts:
        """Find out what the worktree holds.

        Raises:
            WorkspaceError: The session is in none.
        """
        ...

    async def leave(self, *, remove: bool, discard: bool) -> LeavingFacts:
        """Work in the session's own folder again.

        Args:
            remove: Whether folder and branch go; kept all the same when that would lose something.
            discard: Whether they go with everything that is in them.

        Raises:
            WorkspaceError: It is not removed, and the session stays in it; says why, such as agents
                or commands that work in it.
        """
        ...

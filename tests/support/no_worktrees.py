"""A session without worktrees, for tools that do not care."""

from pilotfish.core.worktree_events import SessionWorktree
from pilotfish.ports.worktrees import LeavingFacts


class NoWorktrees:
    """Implements ``ports.worktrees.WorktreePort``; nothing may be done with it."""

    current: SessionWorktree | None = None

    def problem(self, name: str | None) -> str:
        """Refuse."""
        return f"There are no worktrees here, {name or 'whatever the name'}."

    async def enter(self, name: str | None) -> SessionWorktree:
        """Fail."""
        raise AssertionError(f"the worktree {name} was entered")

    async def look(self) -> LeavingFacts:
        """Fail."""
        raise AssertionError("a worktree was looked at")

    async def leave(self, *, remove: bool, discard: bool) -> LeavingFacts:
        """Fail."""
        raise AssertionError(f"a worktree was left: {remove=} {discard=}")

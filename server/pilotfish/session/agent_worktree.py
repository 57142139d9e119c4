"""The working tree of its own that an agent may get.

Owns: which agent gets one, what it is called, what becomes of it when the agent has ended.
Does not own: worktrees as such (``workspace.worktree``), that of a session (``session.session_worktree``).
See also: design 01 §10, 02 §1.4.
"""

import asyncio
import logging
from pathlib import Path

from pilotfish.core.agents import AgentFacts, AgentWorktree
from pilotfish.core.errors import AgentError, WorktreeError
from pilotfish.core.ids import AgentId
from pilotfish.session.session_worktree import AGENT_PREFIX, same_part
from pilotfish.util.records import dataclass
from pilotfish.workspace.worktree import Finished, Kept, Worktree, Worktrees

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentPlace:
    """Where an agent works that has a tree to itself."""

    worktree: AgentWorktree
    cwd: Path
    """What stands in it for its starter's folder."""


class AgentWorktrees:
    """Gives agents their trees, and takes back those that hold nothing."""

    def __init__(self, worktrees: Worktrees, guest: str) -> None:
        """Set it up.

        Args:
            worktrees: Makes and removes them.
            guest: The session: no other process removes a tree that its agents work in.
        """
        self._worktrees = worktrees
        self._guest = guest

    async def prepare(self, agent: AgentId, folder: Path) -> AgentPlace:
        """Make a working tree for an agent.

        Args:
            agent: Who gets it.
            folder: Where its starter works; the tree begins with the commit that is there.

        Raises:
            AgentError: It cannot be made; says why. The agent must not start without it.
        """
        try:
            made = await self._worktrees.prepare(folder, f"{AGENT_PREFIX}{agent}", self._guest)
        except WorktreeError as error:
            raise AgentError(
                f"The agent was not started: it cannot have a worktree. {error.message}",
                hint=error.hint,
            ) from error
        try:
            cwd = await asyncio.to_thread(same_part, folder, made.path)
        except asyncio.CancelledError:
            await asyncio.shield(self._finish(made))  # nobody is going to use it
            raise
        tree = AgentWorktree(path=str(made.path), branch=made.branch, owner=agent, empty=made.empty)
        return AgentPlace(worktree=tree, cwd=cwd)

    async def restore(self, tree: AgentWorktree, folder: Path) -> None:
        """Hold the tree of an agent that goes on; made again if it went because it held nothing.

        Args:
            tree: The one that it works in.
            folder: Where the session works.

        Raises:
            AgentError: It cannot be made.
        """
        if await self._worktrees.enter(Path(tree.path), self._guest) is not None:
            return
        if not await asyncio.to_thread(Path(tree.path).exists):
            await self.prepare(AgentId(tree.owner), folder)

    def leave(self, tree: AgentWorktree) -> None:
        """Let others remove a tree in which no agent of the session works any more."""
        self._worktrees.leave(Path(tree.path), self._guest)

    async def finish(self, facts: AgentFacts) -> bool:
        """Remove an agent's tree if it certainly holds nothing; returns whether it is still there."""
        tree = facts.worktree
        if tree is None or not facts.owns_worktree:
            return tree is not None
        found = await self._worktrees.reopen(Path(tree.path))
        if found is None:
            return await asyncio.to_thread(Path(tree.path).exists)
        finished = await self._finish(found)
        if isinstance(finished, Kept):
            logger.info("%s keeps its worktree: %s", facts.agent_id, finished.changes.describe())
        return isinstance(finished, Kept)

    async def _finish(self, worktree: Worktree) -> Finished:
        try:
            return await self._worktrees.finish(worktree, self._guest)
        finally:
            self._worktrees.leave(worktree.path, self._guest)

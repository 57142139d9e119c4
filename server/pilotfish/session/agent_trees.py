"""What people do with the worktrees of a session's agents.

Owns: whose tree may be touched and when: its agent has ended, and so have those that worked in it, too.
Does not own: merging and removing (``session.tree_merge``), making trees (``session.agent_worktree``).
"""

import asyncio
from collections.abc import Callable, Sequence
from os.path import lexists
from pathlib import Path

from pilotfish.core.agent_events import AgentTreeSettled
from pilotfish.core.agents import AgentFacts
from pilotfish.core.errors import AgentError
from pilotfish.core.ids import AgentId
from pilotfish.core.tree_merge import MergeFile, MergeOutcome
from pilotfish.session.edit_review import EditReview
from pilotfish.session.session import Session
from pilotfish.session.tree_merge import TreeMerge


class AgentTrees:
    """The trees of one session's agents; implements ``ports.agents.TreeDesk``."""

    def __init__(
        self,
        session: Session,
        merger: TreeMerge,
        folder: Callable[[], Path],
        review: Callable[[], EditReview],
    ) -> None:
        """Set it up.

        Args:
            session: The session that the user talks with.
            merger: Merges and removes.
            folder: Where the session works: the tree to merge into.
            review: Writes for the user.
        """
        self._session = session
        self._merger = merger
        self._folder = folder
        self._review = review

    async def compare(self, agent: AgentId) -> Sequence[MergeFile]:
        """Say what merging an ended agent's own worktree would do."""
        return await self._merger.compare(await self._quiet(agent), self._folder())

    async def merge(self, agent: AgentId) -> MergeOutcome:
        """Bring what is in an ended agent's own worktree into the session's tree."""
        return await self._merger.merge(await self._quiet(agent), self._folder(), self._review())

    async def remove(self, agent: AgentId) -> str:
        """Remove an ended agent's own worktree, all of which is in the session's tree.

        Returns:
            The branch, if it stays for commits that are nowhere else; empty when it is gone, too.
        """
        removed = await self._merger.remove(await self._quiet(agent), self._folder())
        self._session.log.emit(AgentTreeSettled(agent_id=agent, kept=False))
        return removed.worktree.branch if removed.branch_stays else ""

    async def _quiet(self, agent: AgentId) -> AgentFacts:
        """Return an agent in whose tree nobody works; take note if somebody took the tree away."""
        agents = self._session.data.agents
        entry = agents.get(agent)
        if entry is None:
            raise AgentError(f"agentId: there is no agent {agent!r} in this session.")
        tree = entry.facts.worktree
        for each in (entry, *agents.values()):
            if each.outcome is None and (each is entry or each.facts.worktree == tree):
                raise AgentError(
                    f"The agent {each.agent_id} still works.", hint="Wait for its end, or stop it."
                )
        outcome = entry.outcome
        believed = tree is not None and outcome is not None and outcome.worktree_kept is True
        if tree is not None and believed and not await asyncio.to_thread(lexists, tree.path):
            self._session.log.emit(AgentTreeSettled(agent_id=agent, kept=False))
        return entry.facts

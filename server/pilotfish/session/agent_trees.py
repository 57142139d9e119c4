"""The worktrees of a session's agents, as long as anybody works in them and afterwards.

Owns: whose tree may be touched and when: its agent has ended, and so have those that worked in it, too;
what people do with trees.
Does not own: merging and removing (``session.tree_merge``), making trees (``session.agent_worktree``).
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from os.path import lexists
from pathlib import Path

from pilotfish.core.agent_events import AgentTreeSettled
from pilotfish.core.agents import AgentFacts
from pilotfish.core.errors import AgentError
from pilotfish.core.ids import AgentId
from pilotfish.core.tree_merge import MergeFile, MergeOutcome
from pilotfish.session.agent_worktree import AgentWorktrees
from pilotfish.session.edit_review import EditReview
from pilotfish.session.session import Session
from pilotfish.session.tree_merge import TreeMerge
from pilotfish.util.keyed_locks import KeyedLocks


class AgentTrees:
    """The trees of one session's agents; implements ``ports.agents.TreeDesk``."""

    def __init__(
        self,
        session: Session,
        places: AgentWorktrees,
        merger: TreeMerge,
        folder: Callable[[], Path],
        review: Callable[[], EditReview],
        is_trusted: Callable[[], bool],
    ) -> None:
        """Set it up.

        Args:
            session: The session that the user talks with.
            places: Makes them, and takes back those that hold nothing.
            merger: Merges and removes.
            folder: Where the session works: the tree to merge into.
            review: Writes for the user.
            is_trusted: Tells whether the user vouches for the folder: only then is git run in it.
        """
        self._session = session
        self._places = places
        self._merger = merger
        self._folder = folder
        self._review = review
        self._is_trusted = is_trusted
        self._locks = KeyedLocks[str]()
        """No tree goes while another agent takes it up."""
        self._workers: dict[str, set[AgentId]] = {}
        """Who works in which tree, those included whose commands are still being ended."""

    def __len__(self) -> int:
        return len(self._workers) + len(self._locks)

    def enter(self, facts: AgentFacts) -> None:
        """Note that an agent works from now on; its tree stays until it has left."""
        if facts.worktree is not None:
            self._workers.setdefault(facts.worktree.path, set()).add(facts.agent_id)

    async def leave(self, facts: AgentFacts) -> None:
        """Note that nothing of an agent works any more; the last one out has its tree looked at.

        A tree is looked at when its owner has ended and nobody works in it: it goes if it holds
        nothing. What became of it is said.
        """
        tree = facts.worktree
        if tree is None:
            return
        async with self._locks.hold(tree.path):
            workers = self._workers.get(tree.path, set())
            workers.discard(facts.agent_id)
            if not workers:
                self._workers.pop(tree.path, None)
                self._places.leave(tree)
            await self._settle(facts)

    @asynccontextmanager
    async def taken_up(self, facts: AgentFacts, folder: Path) -> AsyncGenerator[None]:
        """Hold the tree of an agent that is set to work again, made anew if it was removed.

        Args:
            facts: The agent. Whoever holds the tree says that it works (``enter``), or it does not.
            folder: Where the session works.

        Raises:
            AgentError: It cannot be made.
        """
        tree = facts.worktree
        if tree is None:
            yield
            return
        async with self._locks.hold(tree.path):
            await self._places.restore(tree, folder)
            try:
                yield
            finally:
                if facts.agent_id not in self._workers.get(tree.path, set()):
                    if tree.path not in self._workers:
                        self._places.leave(tree)
                    await asyncio.shield(self._settle(facts))

    async def _settle(self, facts: AgentFacts) -> None:
        """Remove a tree that nobody needs if it holds nothing; the caller holds its lock."""
        tree = facts.worktree
        owner = None if tree is None else self._session.data.agents.get(AgentId(tree.owner))
        if tree is None or owner is None or owner.outcome is None:
            return
        if owner.agent_id in self._workers.get(tree.path, ()):
            return  # it has ended, but not left yet: then there is something to say
        is_free = tree.path not in self._workers and self._is_trusted()
        kept = await self._places.finish(owner.facts) if is_free else True
        believed = {
            one.outcome.worktree_kept
            for one in self._session.data.agents.values()
            if one.outcome is not None and one.tree_path == tree.path
        }
        if believed != {kept}:
            self._session.log.emit(AgentTreeSettled(agent_id=owner.agent_id, kept=kept))

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
        tree = (await self._quiet(agent)).worktree
        async with self._locks.hold("" if tree is None else tree.path):
            # Somebody may have been set to work in it while the lock was another's.
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
        busy = self._workers.get(tree.path) if tree is not None else None
        at_work = agent if entry.outcome is None else min(busy or (), default=None)
        if at_work is not None:
            raise AgentError(
                f"The agent {at_work} still works.", hint="Wait for its end, or stop it."
            )
        outcome = entry.outcome
        believed = tree is not None and outcome is not None and outcome.worktree_kept is True
        if tree is not None and believed and not await asyncio.to_thread(lexists, tree.path):
            self._session.log.emit(AgentTreeSettled(agent_id=agent, kept=False))
        return entry.facts

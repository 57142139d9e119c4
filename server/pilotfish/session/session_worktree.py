"""The worktree that a session works in.

Owns: entering and leaving it, what the session's folders are meanwhile, taking it up again after a
restart.
Does not own: worktrees as such (``workspace.worktree``), what moves with the session
(``session.equipment``), worktrees of agents (``session.agent_worktree``).
See also: design 02 §1.2, §1.3, §1.5.

The process's own folder is never changed: where a session works is a fact about the session.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pilotfish.core.errors import WorktreeError
from pilotfish.core.events import NoteAdded
from pilotfish.core.passing_events import UserWarned
from pilotfish.core.worktree_events import SessionWorktree, WorktreeEntered, WorktreeLeft
from pilotfish.ports.worktrees import LeavingFacts
from pilotfish.session.session import Session
from pilotfish.workspace.repository import branch_at, find_repository
from pilotfish.workspace.worktree import Changes, Kept, Worktree, Worktrees

AGENT_PREFIX = "agent-"
"""How the names of agents' worktrees begin; a session cannot enter or remove these."""

Move = Callable[[Path], None]
"""Makes a session's tools, rules and prompt start from a folder."""


class SessionPlace:
    """Where a session works; implements ``ports.worktrees.WorktreePort``."""

    def __init__(
        self,
        session: Session,
        worktrees: Worktrees,
        home: Path,
        move: Move,
        is_trusted: Callable[[], bool],
    ) -> None:
        """Set it up.

        Args:
            session: The session.
            worktrees: Makes and removes them.
            home: The session's own folder, resolved.
            move: Makes the rest of the session follow.
            is_trusted: Tells whether the user vouches for the folder: only then is git run in it.
        """
        self._session = session
        self._worktrees = worktrees
        self._home = home
        self._move = move
        self._is_trusted = is_trusted
        self._around_home: Path | None = None
        """The worktree that the session's own folder is in; nobody removes it either."""

    @property
    def current(self) -> SessionWorktree | None:
        """The worktree that the session works in; None in its own folder."""
        return self._session.data.worktree

    def problem(self, name: str | None) -> str:
        """Return why no worktree of that name can be entered now; empty when nothing is known."""
        inside = self.current
        if inside is not None:
            return f"The session works in the worktree {inside.path} already; leave it first."
        if not self._is_trusted():
            return "A worktree is made with git, which runs only in folders that the user trusts."
        if name is not None and name.startswith(AGENT_PREFIX):
            return f"Names that begin with {AGENT_PREFIX!r} belong to worktrees of agents."
        return ""

    async def enter(self, name: str | None) -> SessionWorktree:
        """Make a worktree, or take the one that is there, and work in it."""
        problem = self.problem(name)
        if problem:
            raise WorktreeError(problem)
        slug = name or f"session-{self._session.id[:8]}"
        made = await self._worktrees.prepare(self._home, slug, self._session.id)
        folder = await asyncio.to_thread(same_part, self._home, made.path)
        entered = SessionWorktree(
            slug=made.slug,
            path=str(made.path),
            branch=made.branch,
            repository=str(made.repository),
            base=made.base,
            folder=str(folder),
            reused=made.reused,
            empty=made.empty,
            original_branch=await asyncio.to_thread(branch_at, self._home),
        )
        self._session.log.emit(WorktreeEntered(worktree=entered))
        self._move(folder)
        return entered

    async def look(self) -> LeavingFacts:
        """Find out what the worktree holds."""
        inside = self._require()
        return await self._facts(inside, await self._worktrees.changes(_worktree(inside)))

    async def leave(self, *, remove: bool, discard: bool) -> LeavingFacts:
        """Work in the session's own folder again."""
        inside = self._require()
        worktree = _worktree(inside)
        if not remove:
            facts = await self.look()
            self._left(inside, "kept")
            return facts
        # Looked at again here: what was found when the call was looked at may have changed.
        left = await self._facts(inside, Changes())
        if left.held_by:
            raise WorktreeError(left.held_by)
        change = self._worktrees.discard if discard else self._worktrees.finish
        finished = await asyncio.shield(change(worktree, self._session.id))
        if isinstance(finished, Kept):
            if finished.changes.workers:
                raise WorktreeError(f"The worktree was not removed: {finished.changes.describe()}.")
            raise WorktreeError(
                f"The worktree was not removed: {finished.changes.describe()}.",
                hint="Leave it with the action keep, or remove it with discard_changes.",
            )
        self._left(inside, "removed")
        return left

    async def take_up(self) -> None:
        """Hold what the session works in: a worktree around its own folder, and one from earlier.

        The latter is worked in again if it is still there.
        """
        around = await asyncio.to_thread(find_repository, self._home)
        if around is not None and around.here != around.root:
            at_home = await self._worktrees.enter(around.here, self._session.id)
            self._around_home = None if at_home is None else at_home.path
        inside = self.current
        if inside is None:
            return
        found = await self._worktrees.enter(Path(inside.path), self._session.id)
        if found is not None and await asyncio.to_thread(Path(inside.folder).is_dir):
            self._move(Path(inside.folder))
            return
        text = (
            f"The worktree {inside.path} that this session worked in is gone; it works in "
            f"{self._home} again."
        )
        self._left(inside, "gone")
        self._session.log.emit(NoteAdded(text=text, origin="recovery"))
        self._session.log.tell(UserWarned(text=text))

    def close(self) -> None:
        """Work nowhere any more: others may remove what the session worked in."""
        if self.current is not None:
            self._worktrees.leave(Path(self.current.path), self._session.id)
        if self._around_home is not None:
            self._worktrees.leave(self._around_home, self._session.id)

    def _require(self) -> SessionWorktree:
        inside = self.current
        if inside is None:
            raise WorktreeError(
                "The session works in no worktree that it has entered.",
                hint="Worktrees of agents and those made by hand are not touched.",
            )
        return inside

    async def _facts(self, inside: SessionWorktree, changes: Changes) -> LeavingFacts:
        others = await self._worktrees.guests(Path(inside.path), self._session.id)
        at_home = (self._session.id,) if Path(inside.path) == self._around_home else ()
        agents = self._session.data.agents.values()
        commands = self._session.data.background.values()
        return LeavingFacts(
            worktree=inside,
            is_clean=changes.is_clean,
            changes=changes.describe(),
            workers=tuple(
                one.agent_id
                for one in agents
                if one.outcome is None and Path(one.facts.cwd).is_relative_to(inside.path)
            ),
            sessions=(*others, *at_home),
            commands=tuple(
                one.task_id
                for one in commands
                if one.status == "running" and Path(one.folder).is_relative_to(inside.path)
            ),
        )

    def _left(self, inside: SessionWorktree, how: Literal["kept", "removed", "gone"]) -> None:
        if Path(inside.path) != self._around_home:
            self._worktrees.leave(Path(inside.path), self._session.id)
        self._session.log.emit(WorktreeLeft(path=inside.path, how=how))
        self._move(self._home)


def same_part(folder: Path, worktree: Path) -> Path:
    """Return what stands in a worktree for a folder of the repository; its top where nothing does."""
    repository = find_repository(folder)
    if repository is None:
        return worktree
    there = worktree / folder.resolve().relative_to(repository.here)
    return there if there.is_dir() and there.resolve().is_relative_to(worktree) else worktree


def _worktree(inside: SessionWorktree) -> Worktree:
    return Worktree(
        slug=inside.slug,
        path=Path(inside.path),
        branch=inside.branch,
        repository=Path(inside.repository),
        base=inside.base,
        reused=inside.reused,
    )

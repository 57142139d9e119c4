"""Bringing what an agent did in its own working tree into the tree of its session.

Owns: what becomes of each file: the agent's change is put on top of whatever the file is now, and
where that cannot be, the file is left alone.
Does not own: writing, which is the user's and can be undone like any other (``session.edit_review``).

Git's index and branches stay as they are: what is merged are files, uncommitted ones included.
"""

import asyncio
import filecmp
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pilotfish.core.agents import AgentFacts
from pilotfish.core.errors import AgentError, WorkspaceError
from pilotfish.core.events import NoteAdded
from pilotfish.core.tree_merge import MergeFile, MergeOutcome
from pilotfish.session.edit_review import EditReview
from pilotfish.session.session import Session
from pilotfish.session.undo_plan import PlannedFile
from pilotfish.util.merge3 import keep_lines, merge
from pilotfish.util.visible import visible
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.repository import Repository, find_repository
from pilotfish.workspace.text_file import decode, load_text_file
from pilotfish.workspace.tree_changes import ChangedFile, TreeChanges
from pilotfish.workspace.worktree import Kept, Removed, Worktree, Worktrees


class TreeMerge:
    """Compares and merges the worktrees of a session's agents."""

    def __init__(self, session: Session, worktrees: Worktrees, edits: EditPipeline) -> None:
        """Set it up.

        Args:
            session: The session.
            worktrees: Finds them.
            edits: Knows what the files of the session's own tree hold, open documents included.
        """
        self._session = session
        self._worktrees = worktrees
        self._changes = TreeChanges(worktrees.git)
        self._edits = edits

    async def compare(self, facts: AgentFacts, folder: Path) -> list[MergeFile]:
        """Say what merging an agent's tree would do. Changes nothing.

        Args:
            facts: The agent.
            folder: A folder of the tree to merge into.

        Raises:
            AgentError: It has no tree any more.
            WorkspaceError: What changed cannot be told.
        """
        tree = await self._tree_of(facts)
        return [
            MergeFile(
                path=str(planned.path),
                tree_path=str(tree.path / name),
                action="change" if planned.action == "restore" else planned.action,
                added=0 if planned.action == "conflict" else planned.added,
                removed=0 if planned.action == "conflict" else planned.removed,
                reason=planned.reason,
            )
            for name, planned in await self._plan(tree, folder)
        ]

    async def merge(self, facts: AgentFacts, folder: Path, review: EditReview) -> MergeOutcome:
        """Bring an agent's changes into the tree of a folder; nothing that is there gets lost.

        Raises:
            AgentError: It has no tree any more.
            SessionError: A turn is running.
            WorkspaceError: What changed cannot be told.
        """
        planned = [one for _, one in await self._plan(await self._tree_of(facts), folder)]
        taken = await review.carry_out(planned, force=False, tell=False)
        if taken.changed:
            names = ", ".join(str(path) for path in taken.changed)
            text = (
                f"The user brought the changes of the agent {facts.agent_id} into this tree: {names}. "
                "Read these files again before you edit them."
            )
            self._session.log.emit(NoteAdded(text=text, origin="review"))
        return MergeOutcome(
            changed=tuple(str(path) for path in taken.changed),
            refused=tuple((str(path), why) for path, why in taken.refused),
        )

    async def remove(self, facts: AgentFacts, folder: Path) -> Removed:
        """Remove an agent's tree, all of which is in the tree of a folder.

        Raises:
            AgentError: It has none any more, or holds what is nowhere else; names that.
        """
        tree = await self._tree_of(facts)
        repository = await self._repository(tree, folder)

        async def missing() -> str:
            return await self._missing(tree, repository.here)

        finished = await asyncio.shield(self._worktrees.remove_merged(tree, missing))
        if isinstance(finished, Kept):
            changes = finished.changes
            if changes.workers:
                raise AgentError(
                    f"The worktree {tree.path} stays: {changes.describe()}.",
                    hint="Close these chats first.",
                )
            raise AgentError(
                f"The worktree {tree.path} stays: {changes.unknown}.",
                hint="Nothing is removed that is nowhere else.",
            )
        return finished

    async def _missing(self, tree: Worktree, target: Path) -> str:
        """Say what of a tree's work is not on the disk of another one; empty when all of it is."""
        staged = await self._changes.half_staged(tree)
        if staged:
            return f"what is staged of {visible(staged[0])} is not what the file is now"
        for file in await self._changes.files(tree):
            if not await self._is_here(tree, file, target):
                return f"{visible(file.name)} is not the same in {target}"
        return ""

    async def _is_here(self, tree: Worktree, file: ChangedFile, target: Path) -> bool:
        there, here = tree.path / file.name, target / file.name
        if not await asyncio.to_thread(_leads_into, here.parent, target):
            return False
        if await asyncio.to_thread(_same_on_disk, there, here):
            return True
        if not (file.is_plain and await asyncio.to_thread(_are_files, there, here)):
            return False
        try:
            base = await self._original(tree, file)
            theirs, ours = await asyncio.to_thread(lambda: (_text(there), _text(here)))
        except WorkspaceError:
            return False
        # Of the same text in other bytes, or with other permissions, something is missing here.
        if base is None or theirs in (base, ours):
            return False
        merged = merge(keep_lines(base), keep_lines(ours), keep_lines(theirs))
        return not merged.conflicts and "".join(merged.lines) == ours

    async def _repository(self, tree: Worktree, folder: Path) -> Repository:
        repository = await asyncio.to_thread(find_repository, folder)
        if repository is None or repository.root != tree.repository:
            raise AgentError("The session's folder is not in the repository of that worktree.")
        return repository

    async def _tree_of(self, facts: AgentFacts) -> Worktree:
        tree = facts.worktree
        found = None if tree is None else await self._worktrees.reopen(Path(tree.path))
        if found is None:
            raise AgentError(f"agentId: the agent {facts.agent_id} has no worktree (any more).")
        return found

    async def _plan(self, tree: Worktree, folder: Path) -> Sequence[tuple[str, PlannedFile]]:
        repository = await self._repository(tree, folder)
        return [
            (file.name, await self._plan_file(tree, file, repository.here))
            for file in await self._changes.files(tree)
        ]

    async def _plan_file(self, tree: Worktree, file: ChangedFile, target: Path) -> PlannedFile:
        source, path = tree.path / file.name, target / file.name
        if not file.is_plain:
            return _left(path, f"It is a link or a repository; copy {source} by hand.")
        if not await asyncio.to_thread(_leads_into, path, target):
            return _left(path, f"A link leads it out of {target}; copy {source} by hand.")
        try:
            base = await self._original(tree, file)
            theirs = await asyncio.to_thread(_text, source) if file.is_there else None
            ours = (await self._edits.load(path)).text
        except WorkspaceError as error:
            return _left(path, f"{error} Compare with {source} by hand.")
        mode = await asyncio.to_thread(_mode, source) if file.is_there else None
        return _merged(
            PlannedFile(path=path, action="nothing", current=ours, wanted=theirs, mode=mode),
            base,
            source,
        )

    async def _original(self, tree: Worktree, file: ChangedFile) -> str | None:
        if not file.was_there:
            return None
        data = await self._changes.original(tree, file.name)
        return (await asyncio.to_thread(decode, data, file.name)).text


def _merged(plan: PlannedFile, base: str | None, source: Path) -> PlannedFile:
    """Put the change from ``base`` to what is wanted on top of what a file is now."""
    ours, theirs = plan.current, plan.wanted
    if ours == theirs:
        return plan
    if ours == base:
        action = "delete" if theirs is None else "create" if ours is None else "restore"
        return replace(plan, action=action)
    if theirs == base:
        return replace(plan, wanted=ours)
    if base is None or ours is None or theirs is None:
        return _left(plan.path, f"It came or went in both trees; compare with {source}.", ours)
    merged = merge(keep_lines(base), keep_lines(ours), keep_lines(theirs))
    if merged.conflicts:
        return _left(plan.path, f"Both trees changed the same lines; compare with {source}.", ours)
    wanted = "".join(merged.lines)
    return replace(plan, action="nothing" if wanted == ours else "merge", wanted=wanted)


def _left(path: Path, reason: str, current: str | None = None) -> PlannedFile:
    return PlannedFile(path=path, action="conflict", current=current, wanted=current, reason=reason)


def _leads_into(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder)


def _same_on_disk(one: Path, other: Path) -> bool:
    """Tell whether two paths hold the same, or both nothing; False for folders."""
    if one.is_symlink() or other.is_symlink():
        both = one.is_symlink() and other.is_symlink()
        return both and one.readlink() == other.readlink()
    if not one.exists() and not other.exists():
        return True
    return _are_files(one, other) and filecmp.cmp(one, other, shallow=False)


def _are_files(one: Path, other: Path) -> bool:
    """Tell whether both are ordinary files, and both can be run or neither can."""
    runnable = 0o111
    return all(each.is_file() and not each.is_symlink() for each in (one, other)) and bool(
        one.stat().st_mode & runnable
    ) == bool(other.stat().st_mode & runnable)


def _text(path: Path) -> str:
    return load_text_file(path).text


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777

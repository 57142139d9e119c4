"""The indexes of one process.

Owns: one index per folder, which of them answers for a file, ending them.
Does not own: an index (``workspace_index``).
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pilotfish.codeintel.index.selection import DEFAULT_MAX_FILES
from pilotfish.codeintel.index.state import IndexState
from pilotfish.codeintel.index.workspace_index import IndexParts, WorkspaceIndex
from pilotfish.config.linked_trees import linked_trees_in
from pilotfish.config.trees import repository_around
from pilotfish.util.tasks import TaskScope

MAX_INDEXES = 16
"""Folders that are indexed at a time."""

Listener = Callable[[Path, IndexState], None]


class IndexHub:
    """Makes indexes for folders and keeps them while somebody needs them."""

    def __init__(self, parts: IndexParts) -> None:
        self._parts = parts
        self._indexes: dict[Path, WorkspaceIndex] = {}
        self._holders: dict[Path, set[str]] = {}
        self._listeners: list[Listener] = []
        self._tasks = TaskScope("indexes")
        self._ending: set[asyncio.Task[None]] = set()
        self._looking: dict[tuple[Path, str], asyncio.Task[WorkspaceIndex | None]] = {}
        """Who waits for the disk to tell which index a folder has, by folder and holder."""

    def listen(self, on_state: Listener) -> None:
        """Have a function called whenever the state of an index changes."""
        self._listeners.append(on_state)

    def add_soon(
        self, root: Path, holder: str, *, max_files: int = DEFAULT_MAX_FILES, lazily: bool = False
    ) -> None:
        """Begin to keep the index of a folder as ``add`` does: at once, unless the disk must tell which it is."""
        index = self.index_of(root)
        if index is None or index.root == root:
            self._hold(index, root, holder, max_files=max_files, lazily=lazily)
            return
        looking = self._looking.get((root, holder))
        if looking is None or looking.done():  # a disk that gives no answer is asked once
            adding = self.add(root, holder, max_files=max_files, lazily=lazily)
            self._looking[root, holder] = self._tasks.start(adding, name=f"look at {root.name}")

    async def add(
        self, root: Path, holder: str, *, max_files: int = DEFAULT_MAX_FILES, lazily: bool = False
    ) -> WorkspaceIndex | None:
        """Begin to keep the index of a folder; None when that is too much.

        Args:
            root: The folder, resolved; a part of an indexed one has its index, another working tree in it its own.
            holder: Who needs it; it is kept until all who do have let go.
            max_files: How many files to take in; what was said last for an index's own folder counts.
            lazily: Whether to wait for the first question.
        """
        index = self.index_of(root)
        while index is not None and index.root != root:
            is_other = await asyncio.to_thread(_is_in_linked_tree, root, index.root)
            around, index = index, self.index_of(root)
            if index is around:  # else it came or went meanwhile
                index = None if is_other else around
                break
        return self._hold(index, root, holder, max_files=max_files, lazily=lazily)

    def _hold(
        self, index: WorkspaceIndex | None, root: Path, holder: str, *, max_files: int, lazily: bool
    ) -> WorkspaceIndex | None:
        """Begin to keep an index, a new one where there is none."""
        if index is None:
            if len(self._indexes) >= MAX_INDEXES or _is_too_broad(root):
                return None
            index = WorkspaceIndex(root, replace(self._parts, max_files=max_files))
            index.listen(lambda state: self._tell(root, state))
            self._indexes[root] = index
        elif index.root == root:
            index.limit(max_files)
        holders = self._holders.setdefault(index.root, set())
        if holder not in holders:
            holders.add(holder)
            index.resume()
        if not lazily:
            index.start()
        return index

    def let_go(self, holder: str) -> None:
        """End the indexes that nobody else needs."""
        self._look_no_more(lambda place: place[1] == holder)
        for root, holders in list(self._holders.items()):
            holders.discard(holder)
            if not holders:
                self.remove(root)

    def remove(self, root: Path) -> None:
        """End the index of a folder; what it has written stays for the next time."""
        self._look_no_more(lambda place: place[0] == root)
        self._holders.pop(root, None)
        index = self._indexes.pop(root, None)
        if index is not None:
            ending = self._tasks.start(index.close(), name=f"end {root.name}")
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    def pause(self, root: Path) -> None:
        """Stop reading and watching a folder until somebody else needs it; what is known answers.

        Nobody looks at what changes meanwhile. So a stop does not last for good where a window holds on
        to its folder: whoever comes to work there, in a new chat, has the index brought up to date.
        """
        index = self._indexes.get(root)
        if index is not None:
            index.pause()

    async def found(self, root: Path, limit_s: float) -> WorkspaceIndex | None:
        """Return the index of a folder that was added, as soon as it is known which that is."""
        looking = [one for (folder, _), one in self._looking.items() if folder == root]
        if looking:
            await asyncio.wait(looking, timeout=limit_s)
        return self.index_of(root)

    def _look_no_more(self, which: Callable[[tuple[Path, str]], bool]) -> None:
        for place in filter(which, list(self._looking)):
            self._looking.pop(place).cancel()

    def index_of(self, path: Path) -> WorkspaceIndex | None:
        """Return the index of the innermost folder around a path, in the same working tree."""
        around = [
            root
            for root in self._indexes
            if path.is_relative_to(root) and repository_around(path) == repository_around(root)
        ]
        return self._indexes[max(around, key=lambda root: len(root.parts))] if around else None

    def indexes(self) -> tuple[WorkspaceIndex, ...]:
        """Return all of them."""
        return tuple(self._indexes.values())

    async def close(self) -> None:
        """End all indexes."""
        self._look_no_more(lambda _: True)
        indexes, self._indexes = tuple(self._indexes.values()), {}
        await asyncio.gather(*(index.close() for index in indexes), *self._ending)
        await self._tasks.close()

    def _tell(self, root: Path, state: IndexState) -> None:
        for listener in self._listeners:
            listener(root, state)


def _is_in_linked_tree(folder: Path, root: Path) -> bool:
    """Tell whether a folder is of another working tree than an indexed one around it. Looks at the disk."""
    return any(folder.is_relative_to(tree) for tree in linked_trees_in(root))


def _is_too_broad(root: Path) -> bool:
    """Tell whether a folder is no project: the whole disk, or everything that a user has."""
    return root == Path(root.anchor) or root == Path.home()

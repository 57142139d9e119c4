"""The indexes of one process.

Owns: one index per folder, which of them answers for a file, ending them.
Does not own: an index (``workspace_index``).
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from pilotfish.codeintel.index.state import IndexState
from pilotfish.codeintel.index.workspace_index import IndexParts, WorkspaceIndex

MAX_INDEXES = 16
"""Folders that are indexed at a time."""

Listener = Callable[[Path, IndexState], None]


class IndexHub:
    """Makes indexes for folders and keeps them until it is closed."""

    def __init__(self, parts: IndexParts) -> None:
        self._parts = parts
        self._indexes: dict[Path, WorkspaceIndex] = {}
        self._listeners: list[Listener] = []
        self._enabled = True

    def configure(self, *, enabled: bool, max_files: int) -> None:
        """Take over settings; they hold for folders that are added from here on."""
        self._enabled = enabled
        self._parts = replace(self._parts, max_files=max_files)

    def listen(self, on_state: Listener) -> None:
        """Have a function called whenever the state of an index changes."""
        self._listeners.append(on_state)

    def add(self, root: Path) -> WorkspaceIndex | None:
        """Begin to keep the index of a folder; None when that is switched off or too much."""
        covering = self.index_of(root)
        if covering is not None:
            return covering
        if not self._enabled or len(self._indexes) >= MAX_INDEXES or _is_too_broad(root):
            return None
        index = WorkspaceIndex(root, self._parts)
        index.listen(lambda state: self._tell(root, state))
        self._indexes[root] = index
        index.start()
        return index

    def index_of(self, path: Path) -> WorkspaceIndex | None:
        """Return the index of the innermost folder around a path."""
        around = [root for root in self._indexes if path.is_relative_to(root)]
        return self._indexes[max(around, key=lambda root: len(root.parts))] if around else None

    def indexes(self) -> tuple[WorkspaceIndex, ...]:
        """Return all of them."""
        return tuple(self._indexes.values())

    async def stop(self, roots: Iterable[Path]) -> None:
        """End indexes; what they have written stays for the next time."""
        ended = [self._indexes.pop(root) for root in roots if root in self._indexes]
        await asyncio.gather(*(index.close() for index in ended))

    async def close(self) -> None:
        """End all indexes."""
        await self.stop(tuple(self._indexes))

    def _tell(self, root: Path, state: IndexState) -> None:
        for listener in self._listeners:
            listener(root, state)


def _is_too_broad(root: Path) -> bool:
    """Tell whether a folder is no project: the whole disk, or everything that a user has."""
    return root == Path(root.anchor) or root == Path.home()

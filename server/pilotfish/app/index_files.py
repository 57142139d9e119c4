"""The files that an index takes in, listed by ripgrep.

Owns: joining the two packages, which do not know each other; leaving out other working trees of the
repository within the folder.
"""

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

from pilotfish.codeintel.index.selection import Listing
from pilotfish.config.linked_trees import linked_trees_in
from pilotfish.workspace.search import FileQuery, Ripgrep


class IgnoringLister:
    """Lists files without those that ignore files hide, or that are in other trees; implements ``FileLister``."""

    def __init__(self, search: Ripgrep) -> None:
        self._search = search

    async def __call__(self, root: Path, /) -> Listing:
        """List the files.

        Raises:
            WorkspaceError: The search failed.
        """
        found = await self._search.files(FileQuery(folder=root, respect_ignore=True))
        files = await asyncio.to_thread(_of_this_tree, root, found.files)
        return Listing(files, not (found.cut.timed_out or found.cut.too_much))


def _of_this_tree(root: Path, files: Iterable[Path]) -> tuple[Path, ...]:
    others = tuple(os.path.join(tree, "") for tree in linked_trees_in(root))  # noqa: PTH118 - a plain prefix
    return (
        tuple(file for file in files if not str(file).startswith(others))
        if others
        else tuple(files)
    )

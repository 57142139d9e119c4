"""The files that an index takes in, listed by ripgrep.

Owns: joining the two packages, which do not know each other.
"""

from pathlib import Path

from pilotfish.codeintel.index.selection import Listing
from pilotfish.workspace.search import FileQuery, Ripgrep


class IgnoringLister:
    """Lists files without those that ignore files hide; implements ``FileLister``."""

    def __init__(self, search: Ripgrep) -> None:
        self._search = search

    async def __call__(self, root: Path, /) -> Listing:
        """List the files.

        Raises:
            WorkspaceError: The search failed.
        """
        found = await self._search.files(FileQuery(folder=root, respect_ignore=True))
        return Listing(found.files, not (found.cut.timed_out or found.cut.too_much))

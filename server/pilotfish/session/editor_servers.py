"""What the editor asks about code, answered by our language servers.

Owns: what the settings of the file's folder permit, as no session asks; which questions are worth a
start, and how long each may take.
Does not own: the servers (``codeintel.servers``), making the changes of a rename: the editor does that.

An editor asks for a hover at every move of the mouse: no server is started for that. For definitions and
uses, which are asked for by hand, light ones are, as for a file that an agent reads; for a rename, which
the index cannot work out, any, but no heavy one beside the editor's. Whoever does not answer in time is followed by the index.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from pilotfish.codeintel.servers.code import LanguageServerSource
from pilotfish.codeintel.servers.detect import workspace_of
from pilotfish.codeintel.servers.documents import Opener
from pilotfish.codeintel.servers.patience import (
    Bench,
    MayStart,
    Patience,
    light_may_start,
    none_may_start,
)
from pilotfish.codeintel.servers.pool import ServerPool
from pilotfish.codeintel.servers.reach import Reach
from pilotfish.codeintel.silent_source import SilentSource
from pilotfish.config.schema import LoadedSettings
from pilotfish.ports.code import FileChange, LocateKind, Location, Position
from pilotfish.ports.editor import EditorPort
from pilotfish.session.code_servers import NoSecond, access_from, text_of
from pilotfish.util.real_path import real_path

EDITOR_LIMIT_S = 2.0
"""How long the user waits for one of our servers before the index is asked."""


class EditorServers(SilentSource):
    """One for each connection."""

    name = "language servers"

    def __init__(
        self,
        pool: ServerPool,
        editor: EditorPort,
        roots: Callable[[], Sequence[Path]],
        load: Callable[[Path], LoadedSettings],
    ) -> None:
        """Set it up; nothing is started.

        Args:
            pool: The servers of this process.
            editor: Whose open documents are the truth.
            roots: Returns the workspace's folders as they are now.
            load: Reads the settings that count in a folder; may block.
        """
        self._pool = pool
        self._editor = editor
        self._roots = roots
        self._load = load
        self._opener = Opener()
        bench = Bench()
        self._hovers = _hasty(bench, none_may_start)
        self._places = _hasty(bench, light_may_start)
        self._renames = Patience(may_start=NoSecond(editor).may_start)

    async def locate(
        self, kind: LocateKind, path: Path, position: Position
    ) -> Sequence[Location] | None:
        """Find what belongs to the symbol at a position; None where no server can be asked."""
        real = await asyncio.to_thread(real_path, path)
        source = await self._source(real, self._places)
        return None if source is None else await source.locate(kind, real, position)

    async def hover(self, path: Path, position: Position) -> str | None:
        """Return signature and documentation; None where no server that runs can be asked."""
        real = await asyncio.to_thread(real_path, path)
        if not any(real.is_relative_to(one.found.root) for one in self._pool.alive()):
            return None
        source = await self._source(real, self._hovers)
        # One that looks at style alone shows nothing for a name.
        return None if source is None else await source.hover(real, position) or None

    async def rename(
        self, path: Path, position: Position, new_name: str
    ) -> Sequence[FileChange] | None:
        """Work out a rename; None outside the workspace and where no server can be asked."""
        real = await asyncio.to_thread(real_path, path)
        source = await self._source(real, self._renames)
        return None if source is None else await source.rename(real, position, new_name)

    async def _source(self, path: Path, patience: Patience) -> LanguageServerSource | None:
        """Return whom to ask about a file; None outside the workspace."""
        roots = await asyncio.to_thread(_resolved, self._roots())
        root = workspace_of(path, roots)
        if root is None:
            return None
        loaded = await asyncio.to_thread(self._load, root)
        access = access_from(loaded.settings.code_intelligence, roots, trusted=loaded.trusted)
        reach = Reach(
            pool=self._pool,
            access=lambda: access,
            read=lambda file: text_of(file, self._editor),
            opener=self._opener,
            held=self._editor.open_paths,
        )
        return LanguageServerSource(reach, patience)


def _hasty(bench: Bench, may_start: MayStart) -> Patience:
    """Return what a question costs while the user looks on: the index answers at once."""
    return Patience(limit_s=EDITOR_LIMIT_S, bench=bench, may_start=may_start, waits_for_load=False)


def _resolved(roots: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(real_path(root) for root in roots)

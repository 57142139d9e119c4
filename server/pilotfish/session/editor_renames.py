"""Renames that the editor asks for, worked out by our language servers.

Owns: what the settings of the file's folder permit, as no session asks.
Does not own: the servers (``codeintel.servers``), making the changes: the editor does that.

Only renames: they are asked for by hand and need somebody who knows which uses mean the same thing.
All else the editor asks at every move of the mouse, and no server shall be started for that.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from pilotfish.codeintel.servers.code import LanguageServerSource
from pilotfish.codeintel.servers.detect import workspace_of
from pilotfish.codeintel.servers.pool import ServerPool
from pilotfish.codeintel.servers.reach import Reach
from pilotfish.codeintel.silent_source import SilentSource
from pilotfish.config.schema import LoadedSettings
from pilotfish.ports.code import FileChange, Position
from pilotfish.ports.editor import EditorPort
from pilotfish.session.code_servers import access_from, text_of


class EditorRenames(SilentSource):
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

    async def rename(
        self, path: Path, position: Position, new_name: str
    ) -> Sequence[FileChange] | None:
        """Work out a rename; None outside the workspace and where no server can be asked."""
        real_path = await asyncio.to_thread(path.resolve)
        roots = await asyncio.to_thread(_resolved, self._roots())
        root = workspace_of(real_path, roots)
        if root is None:
            return None
        loaded = await asyncio.to_thread(self._load, root)
        access = access_from(loaded.settings.code_intelligence, roots, trusted=loaded.trusted)
        source = LanguageServerSource(
            Reach(
                pool=self._pool,
                access=lambda: access,
                read=lambda file: text_of(file, self._editor),
                held=self._editor.open_paths,
            )
        )
        return await source.rename(real_path, position, new_name)


def _resolved(roots: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(root.resolve() for root in roots)

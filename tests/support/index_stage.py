"""An index of a folder in a test: the real database, the real ripgrep, the real workers."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pilotfish.app.index_files import IgnoringLister
from pilotfish.codeintel.index.hub import IndexHub
from pilotfish.codeintel.index.source import IndexSource
from pilotfish.codeintel.index.watch import Signs, watch_folders
from pilotfish.codeintel.index.workspace_index import IndexParts, WorkspaceIndex
from pilotfish.ports.code import Position, Symbol
from pilotfish.ports.editor import EditorPort, NoEditor
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.process import Governor
from pilotfish.workspace.search import Ripgrep

from tests.support.waiting import until


@dataclass(kw_only=True)
class IndexStage:
    """An index at work."""

    root: Path
    state_folder: Path
    governor: Governor
    hub: IndexHub
    source: IndexSource
    max_files: int

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        folder: Path,
        editor: EditorPort | None = None,
        *,
        max_files: int = 1_000,
        watch: Callable[[Sequence[Path], asyncio.Event], Signs] = watch_folders,
    ) -> AsyncGenerator["IndexStage"]:
        """Open one over ``folder/project``, with its state in ``folder/state``."""
        root, state = folder / "project", folder / "state"
        root.mkdir(exist_ok=True)
        governor = Governor(SystemClock())
        ripgrep = Ripgrep(governor, environment={"PATH": os.environ["PATH"]})

        hub = IndexHub(
            IndexParts(
                state_folder=state,
                processes=governor,
                list_files=IgnoringLister(ripgrep),
                watch=watch,
            )
        )
        source = IndexSource(hub, editor or NoEditor())
        try:
            yield cls(
                max_files=max_files,
                root=root,
                state_folder=state,
                governor=governor,
                hub=hub,
                source=source,
            )
        finally:
            await hub.close()
            await governor.close()

    def write(self, name: str, text: str) -> Path:
        """Put a file into the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return path

    async def ready(self) -> WorkspaceIndex:
        """Begin to keep the index and wait until all of it is read."""
        index = self.hub.add(self.root, "test", max_files=self.max_files)
        assert index is not None
        await until(lambda: index.state.phase in {"ready", "failed", "reading"})
        assert index.state.phase != "failed", index.state.problem
        return index

    async def names(self, query: str, limit: int = 50) -> list[str]:
        """Return the names of symbols that answer a query."""
        return [one.name for one in await self.symbols(query, limit)]

    async def symbols(self, query: str, limit: int = 50) -> list[Symbol]:
        """Return the symbols that answer a query."""
        found = await self.source.workspace_symbols(query, limit)
        assert found is not None
        return list(found)

    async def knows(self, name: str) -> bool:
        """Tell whether a symbol has exactly this name."""
        return name in await self.names(name)


def place_of(path: Path, marked: str) -> Position:
    """Return the position in a file where a text, unique in it, has its mark ``|``."""
    text = path.read_bytes().decode().replace("\r\n", "\n")
    plain = marked.replace("|", "")
    assert text.count(plain) == 1, f"{plain!r} is there {text.count(plain)} times"
    before = text[: text.index(plain) + marked.index("|")]
    line = before.rpartition("\n")[2]
    return Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

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

from tests.support.waiting import until, until_answer


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
        root: Path | None = None,
        max_files: int = 1_000,
        watch: Callable[[Sequence[Path], asyncio.Event], Signs] = watch_folders,
    ) -> AsyncGenerator["IndexStage"]:
        """Open one over ``folder/project`` or ``root``, with its state in ``folder/state``.

        The user's own settings of git are those in ``folder``.
        """
        root, state = root or folder / "project", folder / "state"
        root.mkdir(parents=True, exist_ok=True)
        governor = Governor(SystemClock())
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        ripgrep = Ripgrep(governor, environment=environment)

        hub = IndexHub(
            IndexParts(
                state_folder=state,
                processes=governor,
                list_files=IgnoringLister(ripgrep),
                watch=watch,
                environment=environment,
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
        index = await self.hub.add(self.root, "test", max_files=self.max_files)
        assert index is not None
        await until(lambda: index.state.phase in {"ready", "failed", "reading"})
        assert index.state.phase != "failed", index.state.problem
        return index

    async def watching(self) -> None:
        """Wait until changes are seen as they come, and not by the look that the watching begins with."""
        await self.ready()
        for number in range(2):
            mark = self.write(f"mark{number}.py", f"def mark{number}(): ...\n")
            await self.until_names(lambda names, name=mark.stem: name in names)
            mark.unlink()
            await self.until_names(lambda names, name=mark.stem: name not in names)

    async def names(self, query: str, limit: int = 50) -> list[str]:
        """Return the names of symbols that answer a query."""
        return [one.name for one in await self.symbols(query, limit)]

    async def symbols(self, query: str, limit: int = 50) -> list[Symbol]:
        """Return the symbols that answer a query."""
        found = await self.source.workspace_symbols(query, limit)
        assert found is not None
        return list(found)

    async def until_names(self, condition: Callable[[list[str]], bool]) -> None:
        """Wait until the symbols of the project are as expected."""

        async def are_so() -> bool:
            return condition(sorted(await self.names("", 500)))

        await until_answer(are_so)

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

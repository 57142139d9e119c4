"""An agent's edits with language servers as real child processes, without the rest of the product."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pilotfish.codeintel.note_text import report_of
from pilotfish.codeintel.semantic import SemanticDiagnostics, SemanticLimits
from pilotfish.codeintel.servers.access import ServerAccess
from pilotfish.codeintel.servers.diagnostics import ServerDiagnostics
from pilotfish.codeintel.servers.documents import Opener
from pilotfish.codeintel.servers.pool import PoolLimits, ServerPool
from pilotfish.codeintel.servers.reach import Reach
from pilotfish.codeintel.servers.registry import ServerDefinition
from pilotfish.codeintel.servers.shadow import Lists, Proposed
from pilotfish.session.code_servers import text_on_disk
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.process import Governor

from tests.support.edit_records import edit_record
from tests.support.stage import alive, path_with_own_programs

FAKE = Path(__file__).with_name("fake_language_server.py")

WAIT_S = 60.0
"""How long a note waits for a judgement, if a test is not about that; the machine may be busy."""


@dataclass
class FakeScript:
    """What the fake server does, and what it heard."""

    folder: Path

    def set(self, **values: Any) -> None:
        self.folder.mkdir(exist_ok=True)
        new = self.folder / "new"
        new.write_text(json.dumps(values), encoding="utf-8")
        new.replace(self.folder / "script.json")  # at once: the server may be reading it

    @property
    def definition(self) -> ServerDefinition:
        self.folder.mkdir(exist_ok=True)
        if not (self.folder / "script.json").exists():
            self.set()
        script, log = self.folder / "script.json", self.folder / "log"
        return ServerDefinition(
            name="fake",
            argv=(sys.executable, str(FAKE), str(script), str(log)),
            languages={".fk": "fake"},
        )

    def messages(self) -> list[tuple[str, dict[str, Any]]]:
        """Return what it was told and asked: methods and parameters."""
        try:
            lines = (self.folder / "log").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [(name, params) for name, params in map(json.loads, lines)]

    def heard(self, method: str) -> list[dict[str, Any]]:
        """Return the parameters of the messages of a kind."""
        return [params for name, params in self.messages() if name == method]


@dataclass
class Workshop:
    """A project, the servers, and an agent that edits."""

    root: Path
    pool: ServerPool
    governor: Governor
    access: ServerAccess
    related: list[Path] = field(default_factory=list[Path])
    wait_s: float = WAIT_S
    look_s: float = WAIT_S
    """How long the dialog before an edit waits."""
    opener: Opener = field(default_factory=Opener)
    edits: int = 0
    """Each is a turn of its own."""

    def __post_init__(self) -> None:
        self.source = self.new_source()
        self.semantic = SemanticDiagnostics(
            self.root, self.source, frozenset, lambda: SemanticLimits(wait_s=self.wait_s)
        )

    def new_source(self) -> ServerDiagnostics:
        """Return the source of a further session."""
        return ServerDiagnostics(self.reach, lambda: tuple(self.related))

    @property
    def reach(self) -> Reach:
        """What a conversation has to reach the servers by."""
        return Reach(
            pool=self.pool, access=lambda: self.access, read=text_on_disk, opener=self.opener
        )

    async def preview(self, changes: Sequence[Proposed]) -> tuple[Lists, Lists] | None:
        """Return what changes would do, for the dialog."""
        return await self.source.preview(changes, self.look_s)

    def write(self, name: str, text: str) -> Path:
        """Put a file there, as somebody else would."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    async def edit(self, name: str, new: str) -> None:
        """Write a file as the edit pipeline does."""
        path = self.root / name
        self.edits += 1
        old = text_on_disk(path)
        await self.semantic.before_edit(path, old)
        self.write(name, new)
        self.semantic.edited(edit_record(path, old, new, turn=f"t{self.edits}"))

    async def note(self) -> str:
        """Return what the model is told with the next call."""
        return report_of(await self.semantic.sections())

    async def edited(self, name: str, new: str) -> str:
        """Edit and return what the model is told."""
        await self.edit(name, new)
        return await self.note()


@asynccontextmanager
async def workshop(
    root: Path,
    table: Sequence[ServerDefinition],
    *,
    limits: PoolLimits | None = None,
    trusted: bool = True,
) -> AsyncGenerator[Workshop]:
    """Open a workshop; at the end no process may be left."""
    await asyncio.to_thread(root.mkdir, exist_ok=True)
    governor = Governor(SystemClock(), kill_after_s=1.0)
    environment = {"PATH": path_with_own_programs(), "HOME": str(root.parent)}
    pool = ServerPool(governor, environment, limits)
    access = ServerAccess(roots=(root,), trusted=trusted, table=tuple(table))
    shop = Workshop(root, pool, governor, access)
    try:
        yield shop
    finally:
        pids = {row.pid for row in governor.list()}
        await pool.close()
        await governor.close()
        assert not alive(pids)

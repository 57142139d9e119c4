"""The language servers that run.

Owns: starting each on its first need, sharing it, stopping it when nobody needs it, waiting longer
after each crash, the table.
Does not own: what is asked of them.
See also: design §7.
"""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pilotfish.codeintel.servers.access import ServerAccess
from pilotfish.codeintel.servers.detect import Found, Key, find_servers, workspace_of
from pilotfish.codeintel.servers.disk_watch import Bundle, watch_root
from pilotfish.codeintel.servers.documents import Opener
from pilotfish.codeintel.servers.pythons import find_python, variables_with
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.writers import Writers
from pilotfish.core.errors import ProcessError
from pilotfish.ports.processes import OpenSpec, ProcessPort
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

MAX_MEMORY_BYTES = 3 << 30
"""Resident memory of one server and its children; one that takes more is ended."""

MAX_SERVERS = 12
"""Servers that run at once; the one used longest ago makes room."""


@dataclass(frozen=True, kw_only=True)
class PoolLimits:
    """How patient the pool is; seconds."""

    start_s: float = 30.0
    """How long a handshake may take (design §7)."""
    idle_s: float = 600.0
    """How long a server may be unused before it is stopped (design §7)."""
    first_pause_s: float = 1.0
    """How long a server that crashed is left alone; four times as long after each further crash."""
    last_pause_s: float = 300.0
    """The longest such pause."""
    steady_s: float = 60.0
    """A server that ran so long before it crashed counts as one that crashed for the first time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerRow:
    """A line of the table of servers."""

    name: str
    version: str
    root: Path
    state: Literal["running", "starting", "stopped"]
    problem: str
    """Why it does not run, of one that failed; empty otherwise."""
    documents: int
    working_on: str
    pid: int | None


@dataclass(kw_only=True)
class _Slot:
    found: Found
    starting: asyncio.Task[LanguageServer] | None = None
    server: LanguageServer | None = None
    used_at: float = 0.0
    started_at: float = 0.0
    crashes: int = 0
    retry_at: float = 0.0
    problem: str = ""


class ServerPool:
    """All servers of this process. The app owns one and closes it."""

    def __init__(
        self,
        processes: ProcessPort,
        environment: Mapping[str, str],
        limits: PoolLimits | None = None,
    ) -> None:
        """Set it up; nothing is started.

        Args:
            processes: Starts the children.
            environment: What they see; without secrets.
            limits: How patient to be.
        """
        self._processes = processes
        self._environment = environment
        self._limits = limits or PoolLimits()
        self._slots: dict[Key, _Slot] = {}
        self.scope = TaskScope("language servers")
        """For work that belongs to the servers and outlives who asked for it."""
        self.writers = Writers()
        """Who of those that share the servers wrote what."""
        self._sweeping = False
        self._closing = False
        self._disk_watches: dict[Path, asyncio.Task[None]] = {}

    async def servers_for(self, path: Path, access: ServerAccess) -> tuple[Found, ...]:
        """Return which servers there are for a file; none in a workspace that is not trusted."""
        if not access.trusted or not access.enabled:
            return ()
        return await asyncio.to_thread(
            find_servers, path, access.roots, access.table, access.places(self._environment)
        )

    def running(self, found: Found) -> LanguageServer | None:
        """Return a server if it runs already."""
        slot = self._slots.get(found.key)
        server = None if slot is None else slot.server
        if slot is None or server is None or not server.is_alive:
            return None
        slot.used_at = asyncio.get_running_loop().time()
        return server

    def is_starting(self, found: Found) -> bool:
        """Tell whether a server is just being started."""
        slot = self._slots.get(found.key)
        return slot is not None and slot.starting is not None

    def alive(self) -> tuple[LanguageServer, ...]:
        """Return the servers that run."""
        servers = (slot.server for slot in self._slots.values())
        return tuple(one for one in servers if one is not None and one.is_alive)

    def may_start(self, found: Found) -> bool:
        """Tell whether a server is not left alone after a crash."""
        slot = self._slots.get(found.key)
        return slot is None or asyncio.get_running_loop().time() >= slot.retry_at

    async def get(self, found: Found, access: ServerAccess) -> LanguageServer:
        """Return the server, started if need be; several callers share one start.

        Raises:
            ServerFailure: It cannot be started, or has crashed and is left alone for a while.
        """
        server = self.running(found)
        if server is not None:
            return server
        if not access.trusted:
            raise ServerFailure("the workspace is not trusted")
        slot = self._slots.setdefault(found.key, _Slot(found=found))
        slot.used_at = asyncio.get_running_loop().time()
        if slot.starting is None and not self.may_start(found):
            raise ServerFailure(slot.problem)
        python = await self._python_of(found, access)
        if self._closing:
            raise ServerFailure("Pilotfish ends")
        slot = self._slots.setdefault(found.key, slot)  # it may have been put away meanwhile
        # Somebody else may have begun, or even ended, meanwhile.
        if slot.server is not None:
            if slot.server.is_alive:
                return slot.server
            raise ServerFailure("it has just ended")
        if slot.starting is None:
            self._make_room()
            slot.starting = self.scope.start(
                self._start(slot, python), name=found.definition.name, awaited=True
            )
            slot.starting.add_done_callback(lambda _: setattr(slot, "starting", None))
        return await asyncio.shield(slot.starting)

    def table(self) -> tuple[ServerRow, ...]:
        """Return what runs, and what does not and why."""
        return tuple(_row(slot) for slot in self._slots.values())

    def files_changed(self, bundle: Bundle) -> None:
        """Tell all servers of files that changed on the disk; see ``LanguageServer.files_changed``."""
        changes = bundle.changes
        for slot in self._slots.values():
            if slot.server is not None:
                root = slot.found.root
                near = {path: kind for path, kind in changes.items() if path.is_relative_to(root)}
                slot.server.files_changed(near, bundle.folders)

    def close_all_files(self, opener: Opener) -> None:
        """Close what a conversation has had opened, as soon as nobody needs it to stay as it is.

        Called when it has forgotten what it read, or is over. What others look at stays open, and a
        later use opens again what it needs.

        Args:
            opener: Stands for the conversation.
        """
        for server in self.alive():
            self.scope.start(_close_files(server, opener), name=f"close files {server.name}")

    async def stop_all(self) -> None:
        """Stop what runs; a later need starts it again."""
        slots = list(self._slots.values())
        await asyncio.gather(*(self._stop(slot) for slot in slots))

    async def close(self) -> None:
        """Stop everything for good."""
        self._closing = True
        await self.stop_all()
        await self.scope.close()

    async def _start(self, slot: _Slot, python: Path | None) -> LanguageServer:
        found, definition = slot.found, slot.found.definition
        loop = asyncio.get_running_loop()
        its_own = python if definition.home == "python" else None
        variables = await asyncio.to_thread(variables_with, its_own, self._environment)
        spec = OpenSpec(
            argv=(str(found.program), *definition.argv[1:]),
            cwd=found.root,
            purpose="language_server",
            label=definition.name,
            env={**variables, **definition.env},
            max_memory_bytes=MAX_MEMORY_BYTES,
        )
        slot.started_at = loop.time()
        try:
            child = await self._processes.open(spec)
        except ProcessError as error:
            raise self._failed(slot, error.message) from error
        server = LanguageServer(found, child, python)
        try:
            await server.start(self._limits.start_s)
        except ServerFailure as error:
            await self._drop(server)
            raise self._failed(slot, _why(server, str(error))) from error
        except asyncio.CancelledError:
            await self._drop(server)
            raise
        slot.server, slot.problem = server, ""
        logger.info("%s %s runs for %s", definition.name, server.version, found.root)
        self.scope.start(self._watch(slot, server), name=f"watch {definition.name}")
        self._watch_disk(found.root)
        if not self._sweeping:
            self._sweeping = True
            self.scope.start(self._sweep(), name="idle")
        return server

    async def _drop(self, server: LanguageServer) -> None:
        await asyncio.shield(self.scope.start(server.stop(), name="stop"))

    def _watch_disk(self, root: Path) -> None:
        """Watch a root while servers run in it; they know the disk by what we tell them alone."""
        if root not in self._disk_watches:
            watch = watch_root(root, self.files_changed)
            self._disk_watches[root] = self.scope.start(watch, name=f"watch {root}")

    def _leave_disk(self, root: Path) -> None:
        if not any(slot.server and slot.found.root == root for slot in self._slots.values()):
            watch = self._disk_watches.pop(root, None)
            if watch is not None:
                watch.cancel()

    async def _watch(self, slot: _Slot, server: LanguageServer) -> None:
        """Clean up after a server that ended by itself."""
        await server.ended.wait()
        if slot.server is not server:
            return  # it was stopped
        await server.stop()
        if slot.server is server:
            slot.server = None
            self._leave_disk(slot.found.root)
            self._failed(slot, _why(server, server.rpc.fault))

    def _failed(self, slot: _Slot, reason: str) -> ServerFailure:
        limits, now = self._limits, asyncio.get_running_loop().time()
        if now - slot.started_at > limits.steady_s:
            slot.crashes = 0
        pause = min(limits.first_pause_s * 4**slot.crashes, limits.last_pause_s)
        slot.crashes += 1
        slot.retry_at = now + pause
        slot.problem = reason
        if not self._closing:
            logger.warning("%s: %s; left alone for %g s", slot.found.definition.name, reason, pause)
        return ServerFailure(reason)

    async def _stop(self, slot: _Slot) -> None:
        starting = slot.starting
        if starting is not None:
            starting.cancel()
            await asyncio.wait({starting})
        server, slot.server = slot.server, None
        if server is not None:
            await server.stop()
            self._leave_disk(slot.found.root)

    async def _put_away(self, slot: _Slot) -> None:
        await self._stop(slot)
        # Somebody may have needed it again while it ended.
        if slot.server is None and slot.starting is None:
            self._slots.pop(slot.found.key, None)

    async def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self._limits.idle_s / 10)
            for slot in list(self._slots.values()):
                server = slot.server
                if server is None:
                    continue
                if server.turn.locked():
                    slot.used_at = loop.time()
                elif loop.time() - slot.used_at > self._limits.idle_s:
                    logger.info("%s is not needed any more", slot.found.definition.name)
                    await self._put_away(slot)
                    continue
                if server.documents.unused_for(self._limits.idle_s):
                    # Others work with it; what an idle session has had opened need not stay open.
                    close = _close_unused(server, self._limits.idle_s)
                    self.scope.start(close, name=f"close unused files {server.name}")

    def _make_room(self) -> None:
        running = [slot for slot in self._slots.values() if slot.server is not None]
        if len(running) >= MAX_SERVERS:
            oldest = min(running, key=lambda slot: slot.used_at)
            self.scope.start(self._stop(oldest), name="make room")

    async def _python_of(self, found: Found, access: ServerAccess) -> Path | None:
        workspace = workspace_of(found.root, access.roots) or found.root
        places = access.places(self._environment)
        return await asyncio.to_thread(find_python, found.root, workspace, places)


async def _close_files(server: LanguageServer, opener: Opener) -> None:
    async with server.turn:
        if server.is_alive:
            with contextlib.suppress(ServerFailure):  # it has just ended
                server.documents.close_all_of(opener)


async def _close_unused(server: LanguageServer, seconds: float) -> None:
    async with server.turn:
        if server.is_alive:
            with contextlib.suppress(ServerFailure):  # it has just ended
                for path in server.documents.unused_for(seconds):
                    server.documents.close(path)


def _why(server: LanguageServer, reason: str) -> str:
    """Say why a server is gone, with the last line that it wrote."""
    ended = server.child.how_it_ended
    last = server.child.error_tail.rsplit("\n", 1)[-1][:200]
    parts = [reason, f"({ended})" if ended else "", f"it said: {last}" if last else ""]
    return " ".join(part for part in parts if part)


def _row(slot: _Slot) -> ServerRow:
    server = slot.server
    state: Literal["running", "starting", "stopped"] = "running"
    if server is None:
        state = "stopped" if slot.starting is None else "starting"
    return ServerRow(
        name=slot.found.definition.name,
        version="" if server is None else server.version,
        root=slot.found.root,
        state=state,
        problem=slot.problem if state == "stopped" else "",
        documents=0 if server is None else len(server.documents),
        working_on="" if server is None else server.working_on,
        pid=None if server is None else server.child.pid,
    )

"""The index of one folder, kept up to date while this process lives.

Owns: when what is read: at the start, after changes, name by name first and by syntax afterwards; asking
the database; the table of names in memory.
Does not own: the database (``database``), reading (``reading``, ``build``), what the rows mean
(``resolve``, ``source``).

Whatever happens (a new start, a changed ignore file, another branch, a thousand changes at once), the
way is the same: list the files, compare with what is known, read the difference. Only a few changed
files that are known go a shorter way.
"""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import aclosing, suppress
from dataclasses import field, replace
from pathlib import Path
from typing import TypeVar

from pilotfish.codeintel.index import watch
from pilotfish.codeintel.index.build import Builder
from pilotfish.codeintel.index.database import Database
from pilotfish.codeintel.index.folders import FolderChoice, News
from pilotfish.codeintel.index.ignore_rules import Rules, rules_of
from pilotfish.codeintel.index.intake import FEW_FILES, Intake
from pilotfish.codeintel.index.layout import index_file, is_refused_by_disk
from pilotfish.codeintel.index.map_rows import make_map, read_map
from pilotfish.codeintel.index.name_search import NameSearch
from pilotfish.codeintel.index.ranking import RankedSymbol
from pilotfish.codeintel.index.rows import (
    Depth,
    counts,
    delete_files,
    known_files,
    shallow_files,
)
from pilotfish.codeintel.index.selection import (
    DEFAULT_MAX_FILES,
    Difference,
    FileLister,
    Listing,
    compare,
)
from pilotfish.codeintel.index.state import IndexState, why_failed
from pilotfish.codeintel.index.waits import BackOff, LookAgain, Milestone
from pilotfish.codeintel.index.watch import Signs, next_sign, watch_folders
from pilotfish.core.errors import PilotfishError, ProcessError
from pilotfish.ports.processes import ProcessPort
from pilotfish.util.folder_watch import LostPauses, WatchLostError, pause_and_load
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

T = TypeVar("T")

logger = logging.getLogger(__name__)

FEW_SYMBOLS = 2_000
"""With so many definitions the repository map is worked out here."""

ROUND_FILES = 2_000
"""Files of one run of the workers; what changed meanwhile comes first in the next."""

TAKE_OVER_S = 15.0
"""How often to look whether the process that keeps the index is gone."""

MAX_REPAIRS = 3
"""How often a damaged database is made anew before it is given up."""

Watcher = Callable[[Sequence[Path], asyncio.Event], Signs]


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexParts:
    """What an index works with."""

    state_folder: Path
    processes: ProcessPort
    list_files: FileLister
    watch: Watcher = watch_folders
    max_files: int = DEFAULT_MAX_FILES
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the files are listed with: it tells where the user's settings of git are."""


class WorkspaceIndex:
    """Keeps and asks the index of a folder. Whoever makes one closes it."""

    def __init__(self, root: Path, parts: IndexParts) -> None:
        self.root = root
        self._parts = parts
        self._max_files = parts.max_files
        self._database = Database(index_file(parts.state_folder, root))
        self._builder = Builder(parts.processes, self._database.file, root)
        self._tasks = TaskScope(f"index of {root.name}")
        self.names = NameSearch(self._database, self._tasks)
        self._state = IndexState(phase="off")
        self._listeners: list[Callable[[IndexState], None]] = []
        self._present: frozenset[str] = frozenset()
        self._intake = Intake(root, self._database, self._builder)
        self._reading = asyncio.Lock()
        """Held while what has changed is read: who reads later writes later."""
        self._read_lately: set[str] = set()
        """What has been read since the workers began to read by syntax."""
        self._choice = FolderChoice(root)
        self._rules: Rules = {}
        """What elsewhere said which files are ignored, when they were listed last."""
        self._look = LookAgain()
        self._names_known = Milestone()
        self._map_known = Milestone()
        self._back_off = BackOff()
        self._deepen_wanted = asyncio.Event()
        self._map_is_old = False
        self._paused = False
        self._keeper: asyncio.Task[None] | None = None

    @property
    def state(self) -> IndexState:
        """How far it is."""
        return self._state

    def listen(self, on_state: Callable[[IndexState], None]) -> None:
        """Have a function called whenever the state changes."""
        self._listeners.append(on_state)

    def start(self) -> None:
        """Begin to keep the index, unless that goes on, somebody has stopped it, or it has just failed."""
        if self._paused or not self._back_off.may_try():
            return
        if self._keeper is None or self._keeper.done():
            self._back_off.tries()
            self._keeper = self._tasks.start(self._keep(), name="keep")

    def limit(self, max_files: int) -> None:
        """Take in so many files from now on: those that are beyond it go, those that it left out come."""
        if max_files != self._max_files:
            self._max_files = max_files
            self._look.wish()

    def pause(self) -> None:
        """Stop reading and watching; questions are answered from what is there by now."""
        self._paused = True
        if self._keeper is not None:
            self._keeper.cancel()
        self._names_known.reach()
        self._map_known.reach()
        self._look.end()
        self._tell(replace(self._state, phase="off"))

    def resume(self) -> None:
        """Have it kept again after a pause, from the next ``start`` or question on."""
        self._paused = False

    @property
    def failure(self) -> str:
        """Why it cannot be kept; empty when it can."""
        return self._back_off.why

    async def usable(self, limit_s: float) -> bool:
        """Wait until names can be asked for; tells whether they can within the limit.

        One that has failed is not waited for, also while it is tried again.
        """
        return await self._are_there(self._names_known, limit_s)

    async def _are_there(self, wanted: Milestone, limit_s: float) -> bool:
        """Wait for what is to be told, of the files that count now; tells whether it is there."""
        self.start()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit_s
        if not await wanted.wait(limit_s):
            return False
        await self._heed_rules(max(deadline - loop.time(), 0))
        return True

    async def _heed_rules(self, limit_s: float) -> None:
        """See to it that the files of an answer are not those of other rules than the present ones."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                # In this order: once this process follows no more, nobody would look.
                while await asyncio.to_thread(self._are_rules_old) and self._follows:
                    await self._look.look()

    @property
    def _follows(self) -> bool:
        """Whether this process brings the index up to date."""
        is_kept = self._keeper is not None and not self._keeper.done()
        return is_kept and self._database.may_write and not self._paused

    def _are_rules_old(self) -> bool:
        return rules_of(self.root, self._parts.environment) != self._rules

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T | None:
        """Ask the database; None when it cannot answer."""
        try:
            return await asyncio.to_thread(self._database.read, question)
        except sqlite3.Error as error:
            logger.warning("the index of %s cannot be read: %s", self.root, error)
            return None

    async def is_half_built(self) -> bool:
        """Tell whether files are known by names alone yet, or not at all: there may be more to tell.

        Of an index that failed there is nothing to wait for.
        """
        if self._state.phase == "failed":
            return False
        if self._state.phase in {"names", "full"} or not self._names_known.is_reached:
            return True
        if self._state.phase in {"starting", "reading"}:
            return bool(await self.ask(lambda reader: shallow_files(reader, 1)))
        return False

    async def map(self, limit_s: float) -> list[RankedSymbol]:
        """Return the definitions that matter most, best first; empty when that is not known in time."""
        if not await self._are_there(self._map_known, limit_s):
            return []
        if self._map_is_old and self._database.may_write:
            # For the next one who asks.
            self._tasks.start(self._make_map(), name="map")
        return await self.ask(read_map) or []

    async def close(self) -> None:
        """End watching and reading. The database stays."""
        await self._tasks.close()
        self._look.end()
        await asyncio.to_thread(self._database.close)

    # --- keeping it ---

    async def _keep(self) -> None:
        repairs = 0
        while True:
            try:
                if not await asyncio.to_thread(self._database.open):
                    await self._read_along()
                    continue
                await self._write_along()
            except sqlite3.DatabaseError as error:
                repairs += 1
                if repairs > MAX_REPAIRS or not await self._made_anew(error):
                    self._fail(error)
                    return
            except (OSError, PilotfishError) as error:
                self._fail(error)
                return

    async def _made_anew(self, error: sqlite3.DatabaseError) -> bool:
        """Begin a new database in place of a broken one; False where that would not help."""
        if is_refused_by_disk(error):
            return False
        logger.warning("the index of %s is made anew: %s", self.root, error)
        try:
            await asyncio.to_thread(self._database.discard)
        except (OSError, sqlite3.Error) as problem:
            logger.warning("no new index of %s can be made: %s", self.root, problem)
            return False
        return True

    def _fail(self, error: Exception) -> None:
        problem = why_failed(self._database.file, error)
        logger.warning("the index of %s: %s", self.root, problem)
        self._back_off.failed(problem)
        self._names_known.give_up()
        self._map_known.give_up()
        self._look.end()
        self._tell(replace(self._state, phase="failed", problem=problem))

    async def _read_along(self) -> None:
        """Use what another process writes, until it is gone."""
        self._tell(IndexState(phase="reading"))
        self._back_off.works()
        self._names_known.reach()
        self._map_known.reach()
        await asyncio.sleep(TAKE_OVER_S)

    async def _write_along(self) -> None:
        self._tell(IndexState(phase="starting"))
        parts = {
            self._tasks.start(self._follow(), name="follow", awaited=True),
            self._tasks.start(self._deepen(), name="deepen", awaited=True),
            self._tasks.start(self._mind_rules(), name="rules", awaited=True),
        }
        try:
            ended, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for part in parts:
                part.cancel()
            await asyncio.wait(parts)
        ended.pop().result()

    async def _mind_rules(self) -> None:
        """Have rules outside the folder count also while only others ask, who read what is kept here."""
        while True:
            await asyncio.sleep(watch.LOOK_AGAIN_S)
            while await asyncio.to_thread(self._are_rules_old):
                await self._look.look()

    async def _follow(self) -> None:
        """Bring the index up to date, then follow what changes."""
        # First what a prompt waits for; what changes before somebody watches is found by looking again.
        await self._reconcile()
        await pause_and_load()
        pauses = LostPauses()
        while True:
            folders = self._choice.folders
            stop = asyncio.Event()
            paths = [self.root / folder for folder in sorted(folders)]
            try:
                async with aclosing(self._parts.watch(paths, stop)) as signs:
                    await self._heed(signs, folders)
            except WatchLostError as error:
                logger.info("%s is watched anew: %s", self.root, error)
                with suppress(TimeoutError):
                    async with asyncio.timeout(pauses.take()):
                        await self._look.wished()
            stop.set()

    async def _heed(self, signs: Signs, folders: frozenset[str]) -> None:
        """Take in what a watcher sees, until there is something else to watch."""
        sign = self._tasks.start(next_sign(signs), name="sign", awaited=True)
        try:
            # From here on the watcher takes note; what came before it is found by looking once.
            await asyncio.sleep(0)
            await self._reconcile()
            while self._choice.folders == folders:
                if await self._is_look_wished(sign):
                    await self._reconcile()
                    continue
                await self._take(await sign)
                sign = self._tasks.start(next_sign(signs), name="sign", awaited=True)
        finally:
            sign.cancel()
            await asyncio.wait([sign])

    async def _is_look_wished(self, sign: asyncio.Task[frozenset[str] | None]) -> bool:
        """Wait for a sign or a wish; tells whether it was a wish."""
        wish = self._tasks.start(self._look.wished(), name="wish", awaited=True)
        try:
            await asyncio.wait([sign, wish], return_when=asyncio.FIRST_COMPLETED)
            return wish.done()
        finally:
            wish.cancel()
            await asyncio.wait([wish])

    async def _take(self, changed: frozenset[str] | None) -> None:
        """Take in what the watcher saw."""
        if changed is None:
            await self._reconcile()
            return
        inside = os.path.join(self.root, "")  # noqa: PTH118 - a plain cut
        paths = {
            path[len(inside) :].replace(os.sep, "/") for path in changed if path.startswith(inside)
        }
        known, news = await asyncio.to_thread(self._part, paths)
        if news.rules:
            self._choice.forget()
        if news.is_any or len(known) > FEW_FILES:
            await self._reconcile(news)
        elif known:
            await self._read(sorted(known))

    def _part(self, paths: Set[str]) -> tuple[set[str], News]:
        """Part the files that are known from what may be news. Blocking."""
        known = {path for path in paths & self._present if not (self.root / path).is_dir()}
        return known, self._choice.news_of(paths - known)

    async def _reconcile(self, news: News | None = None) -> None:
        """Make the index agree with the disk.

        Args:
            news: What came, when nothing else can have changed; see ``FolderChoice``.
        """
        self._look.begin()
        rules = await asyncio.to_thread(rules_of, self.root, self._parts.environment)
        listing = await self._parts.list_files(self.root)
        difference = await asyncio.to_thread(self._compare, listing)
        if difference.drop:
            await asyncio.to_thread(
                self._database.write, lambda writer: delete_files(writer, difference.drop)
            )
            self._map_is_old = True
        self._present = difference.present
        if rules != self._rules:
            self._choice.forget()
        await asyncio.to_thread(self._choice.choose, listing, difference.present, news)
        self._rules = rules
        self._state = replace(self._state, left_out=difference.left_out)
        await self._read(difference.read)
        self._back_off.works()
        self._names_known.reach()
        self._look.end()
        if not self._map_known.is_reached:
            await self._begin_map(changed=not difference.is_empty)
        self._deepen_wanted.set()
        await self._settle()

    def _compare(self, listing: Listing) -> Difference:
        known = self._database.read(known_files) or {}
        return compare(self.root, listing, known, self._max_files)

    async def _read(self, paths: Sequence[str]) -> None:
        """Read files: a few here and at once to the full, many by names first."""
        if not paths:
            return
        self._read_lately.update(paths)
        async with self._reading:
            if await self._intake.read_few(paths):
                self._map_is_old = True
                await self.names.took_in(paths)
                return
            if not await self._run_workers(paths, Depth.NAMES):
                raise ProcessError("the workers read none of the files")
        self.names.forget()
        self._deepen_wanted.set()

    async def _deepen(self) -> None:
        """Read by syntax what is known by names, whenever there is something."""
        while True:
            await self._deepen_wanted.wait()
            self._deepen_wanted.clear()
            total, done = await self._shallow_count(), 0
            while paths := await self._next_round():
                done += await self._run_workers(paths, Depth.FULL, done, total)
                self.names.forget()
                # The workers may have written over it what they had read before it changed.
                changed = self._read_lately.intersection(paths, self._present)
                await self._read(sorted(changed))
                if done == 0:
                    break
            if done:
                await self._make_map()
            await self._settle()

    async def _begin_map(self, *, changed: bool) -> None:
        """See that there is a map, be it one of an earlier time or of names alone."""
        if await self.ask(read_map):
            self._map_is_old = changed
            self._map_known.reach()
        else:
            await self._make_map()

    async def _make_map(self) -> None:
        self._map_is_old = False
        found = await asyncio.to_thread(self._database.read, counts)
        if found is not None and found[2] <= FEW_SYMBOLS:
            await asyncio.to_thread(self._database.write, make_map)
        elif problem := await self._builder.make_map():
            logger.warning("the repository map of %s: %s", self.root, problem)
            return
        self._map_known.reach()

    async def _next_round(self) -> list[str]:
        self._read_lately.clear()
        found = await asyncio.to_thread(
            self._database.read, lambda reader: shallow_files(reader, ROUND_FILES)
        )
        return [path for path, _ in found or ()]

    async def _shallow_count(self) -> int:
        found = await asyncio.to_thread(self._database.read, counts)
        return 0 if found is None else found[1]

    async def _run_workers(
        self, paths: Sequence[str], depth: Depth, before: int = 0, total: int = 0
    ) -> int:
        """Have the workers read files; returns how many are settled."""
        total = max(total, before + len(paths))
        phase = "names" if depth is Depth.NAMES else "full"

        def tell(done: int) -> None:
            self._tell(
                replace(
                    self._state,
                    phase=phase,
                    files=len(self._present),
                    done=before + done,
                    total=total,
                )
            )

        tell(0)
        return await self._intake.read_many(paths, depth, tell)

    async def _settle(self) -> None:
        found = await asyncio.to_thread(self._database.read, counts)
        files, shallow, _ = found or (0, 0, 0)
        if shallow == 0:
            self._tell(replace(self._state, phase="ready", files=files, done=0, total=0))

    def _tell(self, state: IndexState) -> None:
        if state == self._state:
            return
        self._state = state
        for listener in self._listeners:
            listener(state)

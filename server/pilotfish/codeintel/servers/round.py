"""What one server makes of one batch of edits.

Owns: the judgement before the first write of each file and after the last one, in that order, and
what of both may be compared.
Does not own: how judgements are got (``judge``), who waits how long (``diagnostics``).

This round tells the server nothing of a write before the batch is over, so what it says of a file before
its first write is about the project before the batch, however late it says so. Questions, and the rounds
of other agents, may show it what is written meanwhile: so what was known first counts.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from pilotfish.codeintel.servers.access import ServerAccess
from pilotfish.codeintel.servers.detect import Found
from pilotfish.codeintel.servers.documents import MAX_DOCUMENT_CHARS, Opener
from pilotfish.codeintel.servers.judge import judge, judge_workspace
from pilotfish.codeintel.servers.pool import ServerPool
from pilotfish.codeintel.servers.refresh import Read, read_all, refresh, show
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.watchers import CHANGED, CREATED
from pilotfish.ports.diagnostics import Failure, Problem
from pilotfish.util.records import dataclass

logger = logging.getLogger(__name__)

JUDGE_LIMIT_S = 30.0
"""How long a server may take over a judgement in the background."""

WORKSPACE_LIMIT_S = 10.0
"""How long it may take over the whole workspace."""

STRAGGLER_LIMIT_S = 5.0
"""How long it may take over a file before the edit when it has judged another one of the batch already."""

OTHERS_LIMIT_S = 1.0
"""How long it may take over what it has open besides, before the edit."""

HEARS_LATE_NS = 1_000_000_000
"""How long it may take until a server knows of a change on the disk; see ``disk_watch``."""

MAX_RELATED = 20
"""Files beside the edited ones whose problems are looked at where the server knows open ones only."""

_NO_ANSWER = "it gave no answer in time"

Lists = Mapping[Path, Sequence[Problem]]


@dataclass(frozen=True, kw_only=True)
class RoundPlace:
    """What a round works with."""

    pool: ServerPool
    found: Found
    access: ServerAccess
    read: Read
    held: Callable[[], Sequence[Path]]
    """Returns the files that an editor holds."""
    related: Callable[[], Sequence[Path]]
    """Returns files that the conversation knows, newest first."""
    opener: Opener
    """For whom documents are opened."""


@dataclass(kw_only=True)
class _Before:
    """What was known before the batch."""

    lists: dict[Path, Sequence[Problem]] = field(default_factory=dict[Path, Sequence[Problem]])
    stamps: dict[Path, tuple[int, int]] = field(default_factory=dict[Path, tuple[int, int]])
    """Of files with problems, to see whether somebody else changed them meanwhile."""
    whole: bool = False
    """Whether the server was asked about the whole workspace."""
    knew_all: bool = False
    """Whether a file without a list was clean."""
    unsure: frozenset[Path] = frozenset()
    """Documents whose list may be about an earlier text than they had then."""
    open: frozenset[Path] = frozenset()
    """The documents that the server had open."""
    taken_ns: int = 0
    """When it was taken down first, as files' times are told; 0: not yet."""


class Round:
    """One per server and batch."""

    def __init__(self, place: RoundPlace) -> None:
        self._place = place
        self._expected: list[tuple[Path, str | None, int]] = []
        self._seen: set[Path] = set()
        self._written: dict[Path, str] = {}
        self._new_files: set[Path] = set()
        self._to_judge: set[Path] = set()
        self._wanted = False
        self._before = _Before()
        self._first_write = place.pool.writers.number
        self._judged_before: set[Path] = set()
        self._unseen: set[Path] = set()
        self._lost: set[Path] = set()
        self._after: dict[Path, Sequence[Problem]] = {}
        self._server: LanguageServer | None = None
        self._working: asyncio.Task[None] | None = None
        self.problem = ""
        """Why the server cannot judge; empty while it can."""
        self.done = asyncio.Event()
        """Set when all that was asked for is judged, or cannot be."""

    @property
    def name(self) -> str:
        """The server's name."""
        return self._place.found.definition.name

    @property
    def paths(self) -> frozenset[Path]:
        """The files of the batch that concern this server."""
        return frozenset(self._seen)

    @property
    def judged(self) -> frozenset[Path]:
        """Those of them that were judged before and after."""
        return frozenset(self._after)

    @property
    def unseen(self) -> frozenset[Path]:
        """Those that were not judged before: what is found in them may be older than the batch."""
        return frozenset(self._unseen)

    @property
    def failure(self) -> Failure | None:
        """What the server cannot judge, and why."""
        if self.problem:
            return Failure(name=self.name, why=self.problem)
        if self._lost:
            return Failure(name=self.name, why=_NO_ANSWER, paths=frozenset(self._lost))
        return None

    @property
    def is_pending(self) -> bool:
        """Whether judgements of written files are still to come."""
        return bool(self._to_judge) and not self.problem

    def expect(self, path: Path, old_text: str | None, mtime_ns: int = 0) -> None:
        """Have a file judged as it is before its first write of the batch.

        Args:
            path: The file.
            old_text: What it holds; None when it is new.
            mtime_ns: When it was changed last.
        """
        if path in self._seen:
            return
        self._seen.add(path)
        self._expected.append((path, old_text, mtime_ns))
        self._work()

    def written(self, path: Path, new_text: str) -> None:
        """Take note of a file's new text."""
        if path in self._seen:
            self._place.pool.writers.wrote(path, self._place.opener)
            self._written[path] = new_text
            self._to_judge.add(path)
            self._lost.discard(path)
            self._after.pop(path, None)

    def judge_written(self) -> None:
        """Have all that was written judged; ``done`` tells when that is over."""
        self._wanted = True
        self.done.clear()
        self._work()

    def compared(self) -> tuple[Lists, Lists]:
        """Return the lists before and after, of those files alone that may be compared."""
        server = self._server
        before: dict[Path, Sequence[Problem]] = {}
        after: dict[Path, Sequence[Problem]] = {}
        if server is None or not self._after:
            return before, after
        for path, judged in self._after.items():
            # What came later counts, too, as long as the server still looks at this text.
            live = server.documents.text_of(path) == self._written.get(path)
            before[path] = self._before.lists.get(path, ())
            after[path] = server.findings.of(path) if live else judged
        if not self.is_pending:
            self._compare_others(server, before, after)
        return before, after

    def _compare_others(
        self,
        server: LanguageServer,
        before: dict[Path, Sequence[Problem]],
        after: dict[Path, Sequence[Problem]],
    ) -> None:
        writers = self._place.pool.writers
        for path, problems in server.findings.known().items():
            known = path in self._before.lists or self._before.knew_all
            if path in self._seen or path in self._before.unsure or not known:
                continue
            if writers.is_of_another(path, self._place.opener, self._first_write):
                continue  # whoever wrote it hears of it
            if path in self._before.open and path not in server.documents:
                continue  # closed meanwhile: that its problems are gone means nothing
            old = self._before.lists.get(path, ())
            if not old and not problems:
                continue
            if old and _stamp(path) != self._before.stamps.get(path):
                continue  # changed by somebody else: its lines may have moved
            before[path], after[path] = old, problems

    # --- the work, in the background ---

    def _work(self) -> None:
        if self._working is None or self._working.done():
            self._working = self._place.pool.scope.start(self._run(), name=f"round {self.name}")

    async def _run(self) -> None:
        try:
            while not self.problem:
                if self._expected:
                    await self._with_server(self._judge_before)
                elif self._wanted and self._to_judge:
                    await self._with_server(self._judge_after)
                else:
                    return
        finally:
            self.done.set()

    async def _with_server(self, work: Callable[[LanguageServer], Awaitable[None]]) -> None:
        place = self._place
        try:
            if self._server is None:
                self._server = await place.pool.get(place.found, place.access)
            async with self._server.turn_of(place.opener):
                # One that has ended refuses whatever it is asked.
                await work(self._server)
        except ServerFailure as failure:
            self._give_up(str(failure))

    def _give_up(self, why: str) -> None:
        logger.info("%s judges nothing of this batch: %s", self.name, why)
        self.problem = why

    async def _judge_before(self, server: LanguageServer) -> None:
        expected, self._expected = self._expected, []
        now_ns = time.time_ns()
        anew = {
            path for path, text, mtime_ns in expected if self._is_anew(server, path, text, mtime_ns)
        }
        await refresh(server, self._place.read, self._seen)
        await self._show_held(server)
        unjudged = await self._judge_all_before(server, expected)
        # One that has just started may have told only meanwhile that it can be asked about the workspace.
        await self._show_held(server)
        whole = await judge_workspace(server, expected[0][0], WORKSPACE_LIMIT_S)
        if not whole:
            self._unseen.update(unjudged)
        if not whole:
            related = await self._open_related(server)
            await self._judge_others(server, related)
        await self._take_down(server, anew, whole=whole)
        self._before.taken_ns = self._before.taken_ns or now_ns

    async def _judge_all_before(
        self, server: LanguageServer, expected: Sequence[tuple[Path, str | None, int]]
    ) -> Collection[Path]:
        """Have files judged before their first write.

        Returns:
            Those that were not: of what is found in them later nobody can tell how old it is.

        Raises:
            ServerFailure: It judges nothing at all.
        """
        judged: set[Path] = set()

        async def judge_one(path: Path, text: str | None) -> None:
            if not await self._judge_one(server, path, text):
                return
            judged.add(path)
            if text is not None and not limit.expired():
                limit.reschedule(asyncio.get_running_loop().time() + STRAGGLER_LIMIT_S)

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None) as limit:
                await asyncio.gather(*(judge_one(path, text) for path, text, _ in expected))
        self._judged_before |= judged
        if not self._judged_before or not server.is_alive:
            raise _not_judged(server, "before")
        return {path for path, *_ in expected} - judged

    async def _show_held(self, server: LanguageServer) -> None:
        """Show what the editor holds to a server that judges all; else those that matter are judged."""
        if server.pulls_workspace:
            await show(server, self._place.read, self._place.held(), self._seen)

    def _is_anew(self, server: LanguageServer, path: Path, text: str | None, mtime_ns: int) -> bool:
        """Tell whether a file has to be judged, as what was known when the batch began is not of it."""
        before = self._before
        was_judged = before.whole or (path in before.lists and path in before.open)
        shown = server.documents.text_of(path)
        # What it has not open it knows from the disk, and hears of changes there with a delay.
        known_until_ns = before.taken_ns - (HEARS_LATE_NS if shown is None else 0)
        return not was_judged or mtime_ns >= known_until_ns or shown not in (None, text)

    async def _take_down(
        self, server: LanguageServer, anew: Collection[Path], *, whole: bool
    ) -> None:
        before = self._before
        found = dict(server.findings.known())
        if before.taken_ns:
            # By now the server may have been shown a part of the batch: what was known first counts.
            first = {path: old for path, old in before.lists.items() if path not in anew}
            later = {
                path: now for path, now in found.items() if path in anew or not before.knew_all
            }
            found = later | first
        before.whole = before.whole or whole
        before.knew_all = before.knew_all or whole or server.has_settled
        before.open |= frozenset(server.documents.paths())
        # A file that is new had nothing to be found.
        before.lists = found | dict.fromkeys(self._new_files, ())
        unknown = [path for path, old in found.items() if old and path not in before.stamps]
        before.stamps |= await asyncio.to_thread(_stamps, unknown)

    async def _judge_one(self, server: LanguageServer, path: Path, text: str | None) -> bool:
        if text is None:
            self._new_files.add(path)
            return True
        return await self._judge_version(server, path, server.sync(path, text), JUDGE_LIMIT_S)

    async def _judge_version(
        self, server: LanguageServer, path: Path, version: int, limit_s: float
    ) -> bool:
        if not server.pulls and server.findings.judged.get(path) == version:
            return True  # nothing was sent: an earlier judgement of it counts
        since = server.findings.valid_from.get(path, -1)
        judged = await judge(server, path, version, since, limit_s)
        if judged:
            server.findings.judged[path] = version
        return judged

    async def _judge_after(self, server: LanguageServer) -> None:
        self._wanted = False
        paths = sorted(self._to_judge)
        versions = {path: server.sync(path, self._written[path]) for path in paths}
        for path in paths:
            server.documents.saved(path)
        server.files_changed(
            {path: CREATED if path in self._new_files else CHANGED for path in paths}
        )
        await asyncio.gather(*(self._settle(server, path, versions[path]) for path in paths))
        if not await judge_workspace(server, paths[0], WORKSPACE_LIMIT_S):
            await self._pull_related(server)
        server.has_settled = True
        self._give_up_unjudged(server)

    async def _settle(self, server: LanguageServer, path: Path, version: int) -> None:
        text = self._written[path]
        judged = await self._judge_version(server, path, version, JUDGE_LIMIT_S)
        if judged and path in self._unseen and not self._is_of_version(server, path):
            return  # the list that was waited for before the edit may have come only now
        if judged and self._written[path] == text:
            self._after[path] = server.findings.of(path)
            self._to_judge.discard(path)

    def _is_of_version(self, server: LanguageServer, path: Path) -> bool:
        """Tell whether a judgement says which version it is of, so that it cannot be an older one's."""
        return server.pulls or server.findings.has_version(path)

    def _give_up_unjudged(self, server: LanguageServer) -> None:
        """Wait no longer for what was not judged after the edits; the rest was."""
        if not self._to_judge or self._wanted:
            return
        if not self._after or not server.is_alive:
            raise _not_judged(server, "after")
        self._lost |= self._to_judge
        self._to_judge.clear()

    # --- other documents ---

    async def _open_related(self, server: LanguageServer) -> Collection[Path]:
        """Open files that may depend on the edited ones: the server looks at open ones only.

        Returns:
            Those that it has judged in time, as they are now.
        """
        found = self._place.found
        near = [
            path
            for path in self._place.related()
            if path.suffix.lower() in found.definition.languages
            and path.is_relative_to(found.root)
            and path not in self._seen
        ][:MAX_RELATED]
        texts = await read_all(self._place.read, near, self._seen)
        opened = {
            path: text
            for path, text in texts.items()
            if text is not None and len(text) <= MAX_DOCUMENT_CHARS
        }
        judged = await asyncio.gather(
            *(self._judge_one(server, path, text) for path, text in opened.items())
        )
        return [path for path, is_judged in zip(opened, judged, strict=True) if is_judged]

    async def _judge_others(self, server: LanguageServer, judged: Collection[Path]) -> None:
        """Have judged what is open besides and has changed: what that broke is no news of this batch.

        A server that tells nothing by itself is asked about what has not changed, too: it may depend on
        what has.
        """
        if self._before.taken_ns:
            return
        if server.pulls:
            for path in set(self._others(server)[-MAX_RELATED:]).difference(judged):
                server.findings.judged.pop(path, None)
        unanswered = server.findings.unanswered
        changed = [
            (path, version)
            for path, version in self._unjudged(server)
            if unanswered.get(path) != version
        ][-MAX_RELATED:]
        await asyncio.gather(
            *(
                self._judge_version(server, path, version, OTHERS_LIMIT_S)
                for path, version in changed
            )
        )
        unsure = dict(self._unjudged(server))
        unanswered |= {path: unsure[path] for path, _ in changed if path in unsure}
        self._before.unsure = frozenset(unsure)

    def _unjudged(self, server: LanguageServer) -> list[tuple[Path, int]]:
        versions = ((path, server.documents.version_of(path)) for path in self._others(server))
        return [
            (path, version)
            for path, version in versions
            if version is not None and server.findings.judged.get(path) != version
        ]

    def _others(self, server: LanguageServer) -> list[Path]:
        return [path for path in server.documents.paths() if path not in self._seen]

    async def _pull_related(self, server: LanguageServer) -> None:
        if not server.pulls:
            return
        others = self._others(server)[-MAX_RELATED:]
        await asyncio.gather(*(judge(server, path, 0, 0, JUDGE_LIMIT_S) for path in others))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _stamps(paths: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    found = {path: _stamp(path) for path in paths}
    return {path: stamp for path, stamp in found.items() if stamp is not None}


def _not_judged(server: LanguageServer, when: str) -> ServerFailure:
    why = f"it did not judge a file {when} the edit in time" if server.is_alive else "it has ended"
    return ServerFailure(why)

"""What our own language servers say of an agent's edits.

Owns: ``ports.diagnostics.DiagnosticsSource`` over the pool: which servers a file concerns, how long
to wait for them, which are not waited for.
Does not own: comparing (``codeintel.semantic``), judging (``round``).
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from typing_extensions import override

from pilotfish.codeintel.servers.access import ServerAccess
from pilotfish.codeintel.servers.detect import Found, Key
from pilotfish.codeintel.servers.documents import MAX_DOCUMENT_CHARS
from pilotfish.codeintel.servers.reach import Reach
from pilotfish.codeintel.servers.round import Round, RoundPlace
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.shadow import Lists, Proposed, judge_shadow
from pilotfish.ports.diagnostics import DiagnosticsSource, Problem, ProblemReport


class ServerDiagnostics(DiagnosticsSource):
    """One per agent: a batch of edits is one agent's."""

    def __init__(self, reach: Reach, related: Callable[[], Sequence[Path]]) -> None:
        """Set it up.

        Args:
            reach: The servers.
            related: Returns files that edits may break, those that are most at hand first.
        """
        self._reach = reach
        self._related = related
        self._rounds: dict[Key, Round] = {}
        self._benched: set[tuple[Key, Path]] = set()
        self._kept_waiting: dict[Key, int] = {}
        """Who did not answer about a proposal in time, with ``findings.number`` as it was then."""
        self._revision = 0

    @property
    def name(self) -> str:
        """The servers that had a say in the last batch."""
        names = sorted({one.name for one in self._rounds.values() if one.judged})
        return ", ".join(names) or "the language servers"

    async def now(self) -> ProblemReport:
        """Return what has been judged by now."""
        return self._report(())

    async def expect(self, path: Path, old_text: str | None) -> None:
        """Have a file judged before it is written. Waits for nothing but looking for servers."""
        access = self._reach.access()
        if old_text is not None and len(old_text) > MAX_DOCUMENT_CHARS:
            return
        mtime_ns = await asyncio.to_thread(changed_at_ns, path)
        for found in await self._reach.pool.servers_for(path, access):
            if found.key not in self._rounds:
                place = RoundPlace(
                    pool=self._reach.pool,
                    found=found,
                    access=access,
                    read=self._reach.read,
                    held=self._reach.held,
                    related=self._related,
                    opener=self._reach.opener,
                )
                self._rounds[found.key] = Round(place)
            self._rounds[found.key].expect(path, old_text, mtime_ns)

    async def preview(
        self, changes: Sequence[Proposed], limit_s: float, served: Collection[Path] = ()
    ) -> tuple[Lists, Lists] | None:
        """Return the problems without and with changes that are not made; None: nobody can tell.

        Args:
            changes: What is proposed.
            limit_s: Longest wait, a start included. Who kept us waiting is not waited for again
                before it has told something.
            served: Those of the files that the editor's servers look at: only light ones of ours
                run beside them.
        """
        access = self._reach.access()
        asked: dict[Key, tuple[Found, list[Proposed]]] = {}
        for one in changes:
            for found in await self._reach.pool.servers_for(one.path, access):
                if one.path not in served or found.definition.beside_editor:
                    asked.setdefault(found.key, (found, []))[1].append(one)
        answers = await asyncio.gather(
            *(self._look_ahead(found, access, its, limit_s) for found, its in asked.values())
        )
        given = [answer for answer in answers if answer is not None]
        if not given:
            return None
        return _joined([one for one, _ in given]), _joined([one for _, one in given])

    async def _look_ahead(
        self, found: Found, access: ServerAccess, changes: Sequence[Proposed], limit_s: float
    ) -> tuple[Lists, Lists] | None:
        server: LanguageServer | None = None
        try:
            async with asyncio.timeout(limit_s):
                server = await self._reach.pool.get(found, access)
                if self._kept_waiting.get(found.key) == server.findings.number:
                    return None
                answer = await judge_shadow(server, changes, limit_s, self._reach.opener)
        except (TimeoutError, ServerFailure):
            answer = None
        if answer is None and server is not None:
            self._kept_waiting[found.key] = server.findings.number
        return answer

    def begin_batch(self) -> None:
        """Begin anew: what is judged from here on is compared with what is known from here on."""
        self._rounds.clear()

    def written(self, path: Path, new_text: str) -> None:
        """Take note of a write."""
        for one in self._rounds.values():
            one.written(path, new_text)

    @override
    async def after(
        self,
        paths: Sequence[Path],
        *,
        since: int,
        limit_s: float,
    ) -> ProblemReport:
        """Wait until what was written is judged, at most ``limit_s``.

        A server that has kept a file waiting is not waited for again until it has judged that file.
        """
        rounds = {key: one for key, one in self._rounds.items() if one.is_pending}
        for one in rounds.values():
            one.judge_written()
        awaited = [one.done.wait() for key, one in rounds.items() if self._is_awaited(key, one)]
        try:
            async with asyncio.timeout(limit_s):
                await asyncio.gather(*awaited)
        except TimeoutError:
            for key, one in rounds.items():
                if one.is_pending:
                    self._benched |= {(key, path) for path in one.paths - one.judged}
        return self._report(paths)

    def _is_awaited(self, key: Key, one: Round) -> bool:
        return any((key, path) not in self._benched for path in one.paths - one.judged)

    def _report(self, paths: Sequence[Path]) -> ProblemReport:
        self._revision += 1
        before: dict[Path, list[Problem]] = {}
        after: dict[Path, list[Problem]] = {}
        for key, one in self._rounds.items():
            self._benched -= {(key, path) for path in one.judged}
            old, new = one.compared()
            for path, problems in old.items():
                before.setdefault(path, []).extend(problems)
            for path, problems in new.items():
                after.setdefault(path, []).extend(problems)
        rounds = list(self._rounds.values())
        return ProblemReport(
            revision=self._revision,
            problems=after,
            published=frozenset(path for path in paths if _is_judged(path, rounds)),
            baseline=before,
            pending=frozenset(
                path for one in rounds if one.is_pending for path in one.paths - one.judged
            ),
            unseen=frozenset(path for one in rounds for path in one.unseen),
            failures=tuple(
                failure
                for one in rounds
                if (failure := one.failure) and not one.paths.isdisjoint(paths)
            ),
        )


def changed_at_ns(path: Path) -> int:
    """Return when a file was changed last, or put there by a move; 0 where there is none. Blocks."""
    try:
        status = path.stat()
    except OSError:
        return 0
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _joined(several: Sequence[Lists]) -> Lists:
    found: dict[Path, list[Problem]] = {}
    for lists in several:
        for path, problems in lists.items():
            found.setdefault(path, []).extend(problems)
    return found


def _is_judged(path: Path, rounds: Sequence[Round]) -> bool:
    """Tell whether all servers that can have judged a file."""
    concerned = [one for one in rounds if path in one.paths and not one.problem]
    return bool(concerned) and all(path in one.judged for one in concerned)

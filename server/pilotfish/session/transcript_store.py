"""The folder of all transcripts.

Owns: the files under ``<home>/projects/<slug>/``: where they are, which there are, deleting one with all
that is kept of its session.
Does not own: writing and reading one (``session.transcript``, ``session.transcript_reader``).
See also: design §11, 02 §6.3.
"""

import asyncio
import errno
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pilotfish.core.errors import SessionBusy, SessionError, UnknownSession
from pilotfish.core.events import EventRecord, TitleChanged
from pilotfish.core.ids import MAIN_AGENT, MessageId, SessionId, ToolUseId
from pilotfish.session.agent_transcripts import agents_folder, copy_agents
from pilotfish.session.foreign_transcript import TakenIn, take_in
from pilotfish.session.fork import copy_transcript
from pilotfish.session.plan_files import own_folder, plans_of
from pilotfish.session.reply_draft import draft_of
from pilotfish.session.session_list import SessionList, SessionSummary, slug_of
from pilotfish.session.session_search import SearchResult, search_sessions
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_lock import TranscriptLock
from pilotfish.session.transcript_reader import last_seq
from pilotfish.session.unfinished_copies import remove_unfinished
from pilotfish.session.waiting_sessions import WaitingSession, waiting_sessions
from pilotfish.session.whole_output import WholeOutput, read_whole
from pilotfish.tasklist.store import copy_list
from pilotfish.util.clock import SystemClock
from pilotfish.util.whole_file import unfinished_of
from pilotfish.workspace.history import copy_history

_PLACES = ("file-history", "tool-results", "tasks", "agents")
"""Folders of the state folder that hold one folder for each session."""

_ID = re.compile(r"^[0-9a-fA-F-]{8,64}$")


class TranscriptStore:
    """All transcripts of a user."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._projects = home / "projects"
        self._list = SessionList()
        self._is_swept = False
        """Whether this process has looked for what killed copies have left."""

    def path_for(self, session_id: SessionId, cwd: Path) -> Path:
        """Return where a session of a project keeps its transcript."""
        return self._projects / slug_of(cwd) / f"{session_id}.jsonl"

    async def whole_output(self, session_id: SessionId, call: ToolUseId) -> WholeOutput:
        """Return all of what a call of a session gave.

        Raises:
            UnknownSession: That is no session's id.
            SessionError: It is not kept.
        """
        if not _ID.match(session_id):
            raise unknown_session(session_id)
        results = self._home / "tool-results" / session_id
        transcript = await self.find(session_id)
        return await asyncio.to_thread(read_whole, results, transcript, call)

    def lock_for(self, session_id: SessionId) -> TranscriptLock:
        """Return the right to write a session's transcript, not held yet."""
        return TranscriptLock(self._home, session_id)

    async def find(self, session_id: SessionId) -> Path | None:
        """Return the transcript of a session, whatever its project; None when there is none."""
        if not _ID.match(session_id):
            return None
        return await asyncio.to_thread(self._find, session_id)

    async def list_sessions(self, cwd: Path | None = None) -> list[SessionSummary]:
        """Return the sessions of a project, or of all, the latest first."""
        return await asyncio.to_thread(self._summaries, cwd)

    async def search(self, query: str, cwd: Path | None = None) -> SearchResult:
        """Return the sessions whose title, prompts or replies hold some words, the latest first."""
        return await asyncio.to_thread(self._search, query, cwd)

    async def waiting(self, cwd: Path, without: frozenset[SessionId]) -> list[WaitingSession]:
        """Return the questions that wait in sessions of a project which no process has open.

        Args:
            cwd: The project.
            without: Sessions to leave out: those that are open here.
        """
        found = await asyncio.to_thread(self._waiting, cwd, without)
        return [one for one in found if await self._is_free(one.session_id)]

    async def fork(
        self,
        session_id: SessionId,
        copy_id: SessionId,
        before: MessageId | None = None,
        unwritten: Sequence[EventRecord] = (),
    ) -> Path:
        """Copy a session; returns the copy's transcript.

        Args:
            session_id: The session; it may be open, what is in its file counts.
            copy_id: The id of the copy.
            before: The first prompt that the copy has not; None for all whole turns.
            unwritten: Its latest events where they could not be written.

        Raises:
            UnknownSession: There is none.
            SessionError: There is no such prompt, or the copy cannot be written.
        """
        path = await self.find(session_id)
        if path is None:
            raise unknown_session(session_id)
        target = path.with_name(f"{copy_id}.jsonl")
        try:
            await asyncio.to_thread(self._fork, path, target, copy_id, before, unwritten)
        except OSError as error:
            raise SessionError(
                f"The session cannot be copied: {error.strerror or error}.",
                hint="Make room, or mend the permissions of Pilotfish's folder.",
            ) from error
        return target

    async def take_in(self, file: Path, cwd: Path, new_id: SessionId) -> TakenIn:
        """Return the session of a transcript's file.

        Args:
            file: One of the transcripts here, or a file from elsewhere: it becomes a new session.
            cwd: The folder of that new session.
            new_id: Its id.

        Raises:
            SessionError: The file is no transcript, or cannot be read or copied.
        """
        known = SessionId(file.stem)
        own = await self.find(known)
        try:
            if own is not None and await asyncio.to_thread(own.samefile, file):
                return TakenIn(session_id=known)
            target = self.path_for(new_id, cwd)
            return await asyncio.to_thread(take_in, file, target, new_id, cwd)
        except OSError as error:
            raise SessionError(
                f"{file} cannot be gone on with: {error.strerror or error}.",
                hint="Name the file of a transcript, or the id of a session.",
            ) from error

    async def rename(self, session_id: SessionId, title: str, now_ms: int) -> None:
        """Give a session that is not open a name.

        Raises:
            UnknownSession: There is none.
            SessionBusy: Another process has it open.
            SessionError: It cannot be written.
        """
        path = await self.find(session_id)
        if path is None:
            raise unknown_session(session_id)
        lock = self.lock_for(session_id)
        await lock.acquire(wait_s=0)
        writer = TranscriptWriter(path, lock)
        try:
            seq = await asyncio.to_thread(last_seq, path) + 1
            event = TitleChanged(title=title)
            writer.append(EventRecord(seq=seq, time_ms=now_ms, event=event, agent_id=MAIN_AGENT))
            await writer.flush()
        finally:
            await writer.close()

    async def delete(self, session_id: SessionId) -> bool:
        """Delete a transcript and what else is kept of its session; False when there is none.

        That is what its agents did, the texts of files that were changed, long results and the plan.

        Raises:
            SessionBusy: Another process has the session open.
            SessionError: It cannot be deleted.
        """
        path = await self.find(session_id)
        if path is None:
            return False
        lock = self.lock_for(session_id)
        await lock.acquire(wait_s=0)
        try:
            await asyncio.to_thread(self._delete, path)
        except OSError as error:
            raise SessionError(
                f"The session cannot be deleted: {error.strerror or error} ({error.filename}).",
                hint="Mend the permissions of Pilotfish's folder.",
            ) from error
        finally:
            await asyncio.to_thread(lock.remove)
        return True

    def _fork(
        self,
        source: Path,
        target: Path,
        copy_id: SessionId,
        before: MessageId | None,
        unwritten: Sequence[EventRecord],
    ) -> None:
        self._sweep()
        try:
            self._copy(source, target, copy_id, before, unwritten)
        except OSError:
            with suppress(OSError):  # half a copy must not stand among the sessions
                self._delete(target)
            raise

    def _copy(
        self,
        source: Path,
        target: Path,
        copy_id: SessionId,
        before: MessageId | None,
        unwritten: Sequence[EventRecord],
    ) -> None:
        turns = copy_transcript(source, target, copy_id, before, unwritten)
        turns |= copy_agents(source, target, copy_id)
        histories = self._home / "file-history"
        copy_history(histories / source.stem, histories / copy_id, turns)
        copy_list(self._home / "tasks" / source.stem, self._home / "tasks" / copy_id)
        for plan in plans_of(own_folder(self._home), source.stem):
            if plan.is_file():
                shutil.copyfile(plan, plan.with_name(plan.name.replace(source.stem, copy_id)))

    def _search(self, query: str, cwd: Path | None) -> SearchResult:
        sessions = [
            (one, self.path_for(one.session_id, Path(one.cwd))) for one in self._summaries(cwd)
        ]
        return search_sessions(sessions, query)

    def _waiting(self, cwd: Path, without: frozenset[SessionId]) -> list[WaitingSession]:
        return waiting_sessions(
            (one, self.path_for(one.session_id, Path(one.cwd)))
            for one in self._summaries(cwd)
            if one.session_id not in without
        )

    async def _is_free(self, session_id: SessionId) -> bool:
        """Tell whether no process has a session open."""
        lock = self.lock_for(session_id)
        try:
            await lock.acquire(wait_s=0)
        except SessionBusy:
            return False
        await asyncio.to_thread(lock.release)
        return True

    def _delete(self, path: Path) -> None:
        """Delete a session's files, the transcript last: whatever goes wrong, it is still listed.

        Raises:
            OSError: It cannot be deleted; in a folder that cannot be written nothing is.
        """
        if not os.access(path.parent, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))
        name, draft = path.stem, draft_of(path)
        for place in _PLACES:
            shutil.rmtree(self._home / place / name, ignore_errors=True)
        shutil.rmtree(agents_folder(path), ignore_errors=True)
        for left in (*plans_of(own_folder(self._home), name), draft, unfinished_of(draft)):
            shutil.rmtree(left, ignore_errors=True)  # whoever has put a folder there
            left.unlink(missing_ok=True)
        path.unlink(missing_ok=True)

    def _find(self, session_id: SessionId) -> Path | None:
        return next(iter(self._projects.glob(f"*/{session_id}.jsonl")), None)

    def _sweep(self) -> None:
        if not self._is_swept:
            self._is_swept = True
            remove_unfinished(self._projects, SystemClock().now_ms())

    def _summaries(self, cwd: Path | None) -> list[SessionSummary]:
        self._sweep()
        pattern = "*/*.jsonl" if cwd is None else f"{slug_of(cwd)}/*.jsonl"
        found: list[SessionSummary] = []
        for path in self._projects.glob(pattern):
            summary = self._list.summary_of(path)
            if summary is None or not summary.cwd:
                continue
            if cwd is None or Path(summary.cwd) == cwd:
                found.append(summary)
        return sorted(found, key=lambda summary: summary.updated_ms, reverse=True)


def unknown_session(session_id: str) -> UnknownSession:
    """Return what is raised when there is no such session."""
    return UnknownSession(
        f"There is no session {session_id!r}.",
        hint="List the sessions to see which exist.",
    )

"""The folder of all transcripts.

Owns: the files under ``<home>/projects/<slug>/``: where they are, which there are, deleting one with all
that is kept of its session.
Does not own: writing and reading one (``session.transcript``, ``session.transcript_reader``).
See also: design §11, 02 §6.3.
"""

import asyncio
import re
import shutil
from pathlib import Path

from pilotfish.core.ids import SessionId
from pilotfish.session.session_list import SessionList, SessionSummary, slug_of
from pilotfish.session.transcript_lock import TranscriptLock

_ID = re.compile(r"^[0-9a-fA-F-]{8,64}$")


class TranscriptStore:
    """All transcripts of a user."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._projects = home / "projects"
        self._list = SessionList()

    def path_for(self, session_id: SessionId, cwd: Path) -> Path:
        """Return where a session of a project keeps its transcript."""
        return self._projects / slug_of(cwd) / f"{session_id}.jsonl"

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

    async def delete(self, session_id: SessionId) -> bool:
        """Delete a transcript and what else is kept of its session; False when there is none.

        That is the texts of files that were changed, long results and the plan.

        Raises:
            SessionBusy: Another process has the session open.
        """
        path = await self.find(session_id)
        if path is None:
            return False
        lock = self.lock_for(session_id)
        await lock.acquire(wait_s=0)
        try:
            await asyncio.to_thread(self._delete, path)
        finally:
            await asyncio.to_thread(lock.release)
        return True

    def _delete(self, path: Path) -> None:
        name = path.stem
        for place in ("file-history", "tool-results"):
            shutil.rmtree(self._home / place / name, ignore_errors=True)
        (self._home / "plans" / f"{name}.md").unlink(missing_ok=True)
        path.unlink(missing_ok=True)

    def _find(self, session_id: SessionId) -> Path | None:
        return next(iter(self._projects.glob(f"*/{session_id}.jsonl")), None)

    def _summaries(self, cwd: Path | None) -> list[SessionSummary]:
        pattern = "*/*.jsonl" if cwd is None else f"{slug_of(cwd)}/*.jsonl"
        found: list[SessionSummary] = []
        for path in self._projects.glob(pattern):
            summary = self._list.summary_of(path)
            if summary is not None and (cwd is None or Path(summary.cwd) == cwd):
                found.append(summary)
        return sorted(found, key=lambda summary: summary.updated_ms, reverse=True)

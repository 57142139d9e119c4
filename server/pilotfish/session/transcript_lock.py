"""One writer for each session.

Owns: the lock that a process holds while a session is open in it, and the note that says who holds it.
The system lets go of the lock when the process dies, whatever it dies of.
Does not own: what is written (``session.transcript``).
"""

import asyncio
import json
import logging
import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from pilotfish.core.errors import SessionBusy
from pilotfish.core.ids import SessionId
from pilotfish.util.os_reason import os_reason

logger = logging.getLogger(__name__)

LOCK_WAIT_S = 3.0
"""How long opening a session waits for the process that holds it: a window that reloads starts its
new server before the old one has gone."""

POLL_S = 0.05
"""How often it looks."""


class TranscriptLock:
    """The right to write one session's transcript."""

    def __init__(self, home: Path, session_id: SessionId) -> None:
        self._folder = home / "locks"
        self._lock = FileLock(str(self._folder / f"{session_id}.lock"), thread_local=False)
        self._owner = self._folder / f"{session_id}.owner"
        self._session_id = session_id

    async def acquire(self, wait_s: float | None = None) -> None:
        """Become the session's writer.

        Args:
            wait_s: How long to wait for another process; None for the usual time.

        Raises:
            SessionBusy: Another process has the session open; says which.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + (LOCK_WAIT_S if wait_s is None else wait_s)
        while not await asyncio.to_thread(self._try):
            if loop.time() >= until:
                raise SessionBusy(
                    f"This session is open in another Pilotfish{self._holder()}; two at once would "
                    "mix up its history.",
                    hint="Close it there first, or fork it and go on with the copy.",
                )
            await asyncio.sleep(POLL_S)

    def release(self) -> None:
        """Let others write. Blocks for a moment."""
        if self._lock.is_locked:
            with suppress(OSError):  # the next owner writes it anew
                self._owner.unlink()
            self._lock.release()

    def remove(self) -> None:
        """Let go of a session that is not there any more. Blocks for a moment."""
        self.release()
        with suppress(OSError):
            (self._folder / f"{self._session_id}.lock").unlink()

    def _try(self) -> bool:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock.acquire(timeout=0)
            self._owner.write_text(json.dumps({"pid": os.getpid()}), encoding="utf-8")
        except Timeout:
            return False
        except (OSError, NotImplementedError) as error:
            # A folder that cannot be written, or a file system without locks. The first flush says
            # the former; foreign lines are noticed by the writer all the same.
            logger.warning("session %s cannot be locked: %s", self._session_id, os_reason(error))
        return True

    def _holder(self) -> str:
        try:
            pid = json.loads(self._owner.read_text(encoding="utf-8"))["pid"]
        except (OSError, ValueError, LookupError, TypeError):
            return ""
        return f" (process {pid})" if isinstance(pid, int) else ""

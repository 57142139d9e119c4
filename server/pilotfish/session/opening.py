"""Opening one session.

Owns: that one process alone writes a session, what a new one begins with, what a loaded one goes on
with, and that a transcript is let go when its session cannot be opened.
Does not own: which sessions are open (``session.manager``), reading a transcript (``session.log``).
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from pilotfish import __version__
from pilotfish.config.modes import clamp
from pilotfish.core.errors import SessionError
from pilotfish.core.events import SessionCreated
from pilotfish.core.ids import SessionId, new_session_id
from pilotfish.ports.clock import ClockPort
from pilotfish.session.factory import NewSession, WorkbenchFactory
from pilotfish.session.log import EventLog
from pilotfish.session.mode_choice import restore_mode
from pilotfish.session.reply_draft import take_up_draft
from pilotfish.session.session import Session
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_reader import Reading, problem_of
from pilotfish.session.transcript_store import TranscriptStore, unknown_session
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)


class SessionOpener:
    """Makes sessions of wishes and of transcripts."""

    def __init__(
        self, store: TranscriptStore, factory: WorkbenchFactory, clock: ClockPort, tasks: TaskScope
    ) -> None:
        """Open sessions.

        Args:
            store: Where their transcripts are.
            factory: Builds what their turns are made of.
            clock: For the times.
            tasks: What their turns run in.
        """
        self._store = store
        self._factory = factory
        self._clock = clock
        self._tasks = tasks

    async def create(self, options: NewSession) -> Session:
        """Begin a new session in a folder that exists."""
        session_id = new_session_id()
        session = await self._session_of(session_id, self._store.path_for(session_id, options.cwd))
        async with _closed_on_failure(session):
            workbench = await self._factory.build(session, options)
        session.equip(workbench)
        session.log.emit(
            SessionCreated(
                session_id=session_id,
                cwd=str(options.cwd),
                version=__version__,
                mode=workbench.start_mode,
                model=workbench.start_model,
                allowed_tools=options.allowed_tools,
                disallowed_tools=options.disallowed_tools,
                system_prompt_append=options.system_prompt_append,
            )
        )
        return session

    async def load(self, session_id: SessionId, wishes: NewSession | None) -> Session:
        """Open a session of an earlier process; what its turn left open is not closed yet.

        Raises:
            UnknownSession: There is no transcript of it.
            SessionBusy: Another process has it open.
            SessionError: A newer version has written it, or nobody knows where it works.
        """
        path = await self._store.find(session_id)
        if path is None:
            raise unknown_session(session_id)
        session = await self._session_of(session_id, path)
        async with _closed_on_failure(session):
            reading = await session.log.restore()
            if not reading.last_seq:
                raise unknown_session(session_id)
            if not reading.cwd:
                raise _without_folder(path)
            await take_up_draft(session.log)
            session.history_problem = problem_of(reading, path)
            if session.history_problem:
                logger.warning("%s: %s", path, session.history_problem)
            given = _options_of(reading, wishes)
            workbench = await self._factory.build(session, given)
        session.equip(workbench)
        if reading.created is None:
            session.log.emit(_new_beginning(session, given))
        restore_mode(session)
        return session

    async def _session_of(self, session_id: SessionId, path: Path) -> Session:
        """Return a session that this process alone may write."""
        lock = self._store.lock_for(session_id)
        await lock.acquire()
        writer = TranscriptWriter(path, lock)
        return Session(session_id, EventLog(writer, self._clock), self._clock, self._tasks)


@asynccontextmanager
async def _closed_on_failure(session: Session) -> AsyncGenerator[None]:
    """Let go of a session's transcript when it cannot be opened."""
    is_open = False
    try:
        yield
        is_open = True
    finally:
        if not is_open:
            await session.log.close()


def _without_folder(path: Path) -> SessionError:
    return SessionError(
        f"The first line of {path} is lost, which said in which folder the session works.",
        hint="Copy it to somewhere else and go on with the copy in that folder: pilotfish run --resume "
        "COPY.jsonl.",
    )


def _new_beginning(session: Session, given: NewSession) -> SessionCreated:
    """Return what stands for a lost beginning from now on: nobody knows the mode that stood in it."""
    return SessionCreated(
        session_id=session.id,
        cwd=str(given.cwd),
        version=__version__,
        mode=clamp(session.workbench.start_mode, "default"),
        model=session.data.model or session.workbench.start_model,
        allowed_tools=given.allowed_tools,
        disallowed_tools=given.disallowed_tools,
        system_prompt_append=given.system_prompt_append,
    )


def _options_of(reading: Reading, wishes: NewSession | None) -> NewSession:
    """Return what a session was created with, as far as nothing else is asked for now."""
    cwd, created = Path(reading.cwd), reading.created
    given = replace(wishes, cwd=cwd) if wishes else NewSession(cwd=cwd)
    if created is None:
        return given
    return replace(
        given,
        allowed_tools=given.allowed_tools or created.allowed_tools,
        disallowed_tools=given.disallowed_tools or created.disallowed_tools,
        system_prompt_append=given.system_prompt_append or created.system_prompt_append,
    )

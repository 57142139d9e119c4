"""All sessions of one process.

Owns: creating, loading, listing and ending sessions; what they share.
Does not own: one session (``session.session``), how one is opened (``session.opening``), what it is
built from (``session.factory``).
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from pilotfish.agents.loader import KnownAgents
from pilotfish.codeintel.index.hub import IndexHub
from pilotfish.codeintel.sources import CodeSources
from pilotfish.config.code_intelligence import CodeIntelligenceSettings
from pilotfish.core.commands import CommandFacts
from pilotfish.core.errors import SessionError, UnknownSession
from pilotfish.core.ids import MessageId, SessionId, ToolUseId, new_session_id
from pilotfish.core.messages import ToolUseBlock
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.processes import WatchOutside
from pilotfish.ports.terminals import TerminalPort
from pilotfish.session.factory import NewSession, WorkbenchFactory
from pilotfish.session.foreign_transcript import TakenIn
from pilotfish.session.health import Check
from pilotfish.session.mention_desk import MentionDesk
from pilotfish.session.model_options import ProviderFacts
from pilotfish.session.opening import SessionOpener
from pilotfish.session.recovery import recover
from pilotfish.session.rules_desk import RulesDesk
from pilotfish.session.session import Session
from pilotfish.session.session_document import whole_document
from pilotfish.session.session_list import SessionSummary
from pilotfish.session.session_search import SearchResult
from pilotfish.session.transcript_store import TranscriptStore, unknown_session
from pilotfish.session.waiting_sessions import WaitingSession
from pilotfish.session.whole_output import WholeOutput
from pilotfish.util.keyed_locks import KeyedLocks
from pilotfish.util.tasks import TaskScope
from pilotfish.workspace.process import RunningProcess

if TYPE_CHECKING:
    from pilotfish.permissions.language.service import SettingsLanguage

MAX_OPEN_SESSIONS = 200
"""Sessions that may be open at once; each keeps its conversation in memory."""

MAX_NAME_CHARS = 200
"""A session's name fits a line of a list."""


class SessionManager:
    """The sessions of one process."""

    def __init__(self, store: TranscriptStore, factory: WorkbenchFactory, clock: ClockPort) -> None:
        self._store = store
        self._factory = factory
        self._clock = clock
        self._tasks = TaskScope("sessions")
        self._opener = SessionOpener(store, factory, clock, self._tasks)
        self._open: dict[SessionId, Session] = {}
        self._passing = KeyedLocks[SessionId]()
        """Held while a session is opened, closed or deleted: what comes then waits for it."""
        self._undecided: dict[SessionId, tuple[ToolUseBlock, ...]] = {}
        self._desks: tuple[RulesDesk, MentionDesk] | None = None

    def equip(self, desk: RulesDesk, mentions: MentionDesk) -> None:
        """Hand over what knows the rules and what can be mentioned; once, before any request."""
        self._desks = desk, mentions

    @property
    def desk(self) -> RulesDesk:
        """Where rules are managed."""
        return self._ready()[0]

    @property
    def mentions(self) -> MentionDesk:
        """Who knows what can be mentioned."""
        return self._ready()[1]

    def _ready(self) -> tuple[RulesDesk, MentionDesk]:
        if self._desks is None:
            raise SessionError("The engine is not ready.")
        return self._desks

    def get(self, session_id: SessionId) -> Session:
        """Return an open session.

        Raises:
            UnknownSession: It is not open.
        """
        session = self._open.get(session_id)
        if session is None:
            raise UnknownSession(
                f"There is no open session {session_id!r}.", hint="Load or create it first."
            )
        return session

    async def whole_output(self, session_id: SessionId, call: ToolUseId) -> WholeOutput:
        """Return all of what a call gave; its session need not be open."""
        return await self._store.whole_output(session_id, call)

    def open_sessions(self) -> tuple[Session, ...]:
        """Return the open sessions."""
        return tuple(self._open.values())

    async def create(self, options: NewSession) -> Session:
        """Begin a new session.

        Raises:
            SessionError: The folder does not exist, or too many sessions are open.
        """
        if len(self._open) >= MAX_OPEN_SESSIONS:
            raise SessionError(
                f"{MAX_OPEN_SESSIONS} sessions are open already.", hint="Close one first."
            )
        if not await asyncio.to_thread(_is_folder, options.cwd):
            raise SessionError(f"cwd: {str(options.cwd)[:200]} is not a folder.")
        session = await self._opener.create(options)
        self._open[session.id] = session
        return session

    async def load(self, session_id: SessionId, wishes: NewSession | None = None) -> Session:
        """Open a session of an earlier process, or return it when it is open already.

        Args:
            session_id: Which one.
            wishes: Tools, limits and prompt for the turns to come; the folder is the session's own.

        Raises:
            UnknownSession: There is no transcript of it.
            SessionBusy: Another process has it open.
            SessionError: A newer version has written it.
        """
        async with self._passing.hold(session_id):
            return self._open.get(session_id) or await self._load(session_id, wishes)

    async def take_in(self, file: Path, cwd: Path) -> TakenIn:
        """Return the session of a transcript's file; one from elsewhere is copied into a folder.

        Raises:
            SessionError: It is no transcript, or cannot be copied.
        """
        return await self._store.take_in(file, cwd, new_session_id())

    def put_open_questions_again(self, session: Session) -> None:
        """Go on with a turn that waited for the user when its process ended."""
        session.resume(self._undecided.pop(session.id, ()))

    async def list_sessions(self, cwd: Path | None = None) -> list[SessionSummary]:
        """Return the sessions that have a prompt, the latest first."""
        await self._flush_all()
        return await self._store.list_sessions(cwd)

    async def waiting_sessions(self, cwd: Path) -> list[WaitingSession]:
        """Return the questions that wait in sessions of a project which are not open anywhere."""
        return await self._store.waiting(cwd, frozenset(self._open))

    async def close(self, session_id: SessionId) -> None:
        """End an open session; its transcript stays."""
        async with self._passing.hold(session_id):
            await self._close(session_id)

    async def _close(self, session_id: SessionId) -> None:
        session = self._open.pop(session_id, None)
        self._undecided.pop(session_id, None)
        if session is not None:
            await session.close()

    async def delete(self, session_id: SessionId) -> None:
        """End a session and delete its transcript.

        Raises:
            UnknownSession: There is none.
            SessionBusy: Another process has it open.
        """
        async with self._passing.hold(session_id):
            was_open = session_id in self._open
            await self._close(session_id)
            if not await self._store.delete(session_id) and not was_open:
                raise unknown_session(session_id)

    async def search(self, query: str, cwd: Path | None = None) -> SearchResult:
        """Return the sessions whose title, prompts or replies hold some words, the latest first."""
        await self._flush_all()
        return await self._store.search(query, cwd)

    async def fork(
        self, session_id: SessionId, wishes: NewSession, before: MessageId | None = None
    ) -> Session:
        """Copy a session and open the copy.

        Args:
            session_id: The session to copy; it may be open, here or elsewhere.
            wishes: Tools, limits and prompt of the copy; the folder is the session's own.
            before: The first prompt that the copy has not; None for all whole turns.

        Raises:
            UnknownSession: There is none.
            SessionError: There is no such prompt, or the copy cannot be written.
        """
        source = self._open.get(session_id)
        unwritten = () if source is None else await source.log.unwritten()
        copy_id = new_session_id()
        await self._store.fork(session_id, copy_id, before, unwritten)
        return await self.load(copy_id, wishes)

    async def rename(self, session_id: SessionId, title: str) -> None:
        """Give a session a name, whether it is open or not.

        Raises:
            UnknownSession: There is none.
            SessionBusy: Another process has it open.
            SessionError: The name is empty or too long, or cannot be written.
        """
        name = " ".join(title.split())
        if not name or len(name) > MAX_NAME_CHARS:
            raise SessionError(f"title: it must have 1 to {MAX_NAME_CHARS} characters.")
        session = self._open.get(session_id)
        if session is None:
            await self._store.rename(session_id, name, self._clock.now_ms())
            return
        session.choices.set_title(name)
        await session.log.flush()

    async def export(self, session_id: SessionId) -> str:
        """Return a session as Markdown, without secrets.

        Raises:
            UnknownSession: There is none.
            SessionError: It is too long for one document.
        """
        session = self._open.get(session_id)
        if session is not None:
            await session.log.flush()
        path = await self._store.find(session_id)
        if path is None:
            raise unknown_session(session_id)
        return await asyncio.to_thread(whole_document, path)

    async def suspend_all(self) -> None:
        """End with the process: what is open stays open on disk."""
        await asyncio.gather(*(session.suspend() for session in self._open.values()))
        self._open.clear()
        await self._tasks.close()
        if self._desks is not None:
            await self._desks[1].close()
        await self._factory.close()

    def configure(self, settings: dict[str, Any], *, trusted: bool | None) -> None:
        """Take over changed editor settings, and whether the editor trusts the workspace."""
        self._factory.configure(settings, trusted=trusted)
        if self._desks is not None:
            self._tasks.start(self._desks[0].editor_settings_changed(), name="editor settings")

    def set_roots(self, roots: Sequence[Path]) -> None:
        """Take over changed workspace folders."""
        self._factory.set_roots(roots)

    async def describe_provider(self) -> ProviderFacts:
        """Return where the model of new sessions runs, without secrets."""
        return await self._factory.describe_provider()

    async def commands(self, root: Path | None) -> tuple[CommandFacts, ...]:
        """Return what a new session offers behind a slash; None: in the first workspace folder."""
        return await self._factory.commands(root)

    async def agent_types(self, root: Path | None) -> KnownAgents:
        """Return the agents that are defined for a folder now; None: the first workspace folder."""
        return await self._factory.agent_types(root)

    async def examine(self, folder: Path) -> tuple[Check, ...]:
        """Return what is well and what is not, as seen from a folder."""
        return await self._factory.examine(folder)

    def settings_language(self) -> "SettingsLanguage":
        """Return what knows the settings files as texts."""
        return self._factory.settings_language()

    def code_for_editor(self) -> CodeSources:
        """Return who can be asked about code on behalf of the editor, which is not among them."""
        return self._factory.code_for_editor()

    async def code_settings(self) -> CodeIntelligenceSettings:
        """Return the settings of code intelligence for the first workspace folder."""
        return await self._factory.code_settings()

    def index(self) -> IndexHub:
        """Return the indexes of workspaces."""
        return self._factory.index()

    def children(self) -> tuple[RunningProcess, ...]:
        """Return the child processes that run now."""
        return self._factory.children()

    def offer_terminals(self, terminals: TerminalPort) -> None:
        """Take over that the client can run commands in its terminals."""
        self._factory.offer_terminals(terminals)

    @property
    def watch_outside(self) -> WatchOutside:
        """What watches commands that the client starts for us."""
        return self._factory.watch_outside

    def stop_child(self, pid: int) -> bool:
        """End a child process and what it started; False when there is none of that number."""
        return self._factory.stop_child(pid)

    def memory_bytes(self) -> int:
        """Return the resident memory of this process."""
        return psutil.Process().memory_info().rss

    async def _flush_all(self) -> None:
        await asyncio.gather(
            *(session.log.flush() for session in self._open.values()), return_exceptions=True
        )

    async def _load(self, session_id: SessionId, wishes: NewSession | None) -> Session:
        session = await self._opener.load(session_id, wishes)
        self._open[session_id] = session
        self._undecided[session_id] = recover(session.log)
        return session


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # too long, or a part of it cannot be entered
        return False

"""The server behind the handshake.

Owns: wiring pygls, the agent channel and the engine for one connection, and the connection's end:
end of input, ``exit``, a signal, a vanished parent.
Does not own: the handshake (``edges.lsp.greeting``), any method's work.
"""

import asyncio
import logging
import signal
import sys
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pilotfish import __version__
from pilotfish.core.errors import SessionError
from pilotfish.edges.channel import AgentChannel, Handler, LatePeer
from pilotfish.edges.config_options import to_config_options
from pilotfish.edges.localise import localise, translator
from pilotfish.edges.lsp.agent_table import EditorSide, agent_table
from pilotfish.edges.lsp.attachment_limits import attachment_limits
from pilotfish.edges.lsp.capabilities import COMPLETION_TRIGGERS, starts_prompts
from pilotfish.edges.lsp.client_facts import (
    BuildManager,
    capabilities_of,
    facts_of,
    json_object,
    knows_snippets,
    roots_of,
)
from pilotfish.edges.lsp.code_intelligence import CodeIntelligence
from pilotfish.edges.lsp.code_prompts import CodePrompts
from pilotfish.edges.lsp.editor import EditorServers, LspEditor
from pilotfish.edges.lsp.editor_code import EditorCode
from pilotfish.edges.lsp.editor_context import EditorContext
from pilotfish.edges.lsp.editor_cover import EditorCover
from pilotfish.edges.lsp.editor_diagnostics import EditorDiagnostics
from pilotfish.edges.lsp.editor_settings import settings_from_editor, trust_from_editor
from pilotfish.edges.lsp.framing import (
    ConnectionClosed,
    Frame,
    FrameReader,
    Malformed,
    write_frame,
)
from pilotfish.edges.lsp.index_progress import IndexProgress
from pilotfish.edges.lsp.log_level import set_log_level
from pilotfish.edges.lsp.parent_watch import ParentWatch
from pilotfish.edges.lsp.protocol import AgentProtocol
from pilotfish.edges.lsp.settings_files import SettingsFiles
from pilotfish.edges.lsp.strict_types import strict_converter
from pilotfish.edges.output import OutputWriter
from pilotfish.edges.oversized import Oversized
from pilotfish.edges.session_methods import SessionMethods
from pilotfish.edges.testing_methods import TestingMethods
from pilotfish.session.manager import SessionManager
from pilotfish.util import strict_json
from pilotfish.util.forced_clock import ForcedClock
from pilotfish.util.tasks import TaskScope
from pilotfish.wire import methods
from pilotfish.wire.editor import LanguagesParams
from pilotfish.wire.session import ProviderParams

logger = logging.getLogger(__name__)

PARENT_CHECK_S = 2.0
"""How often to look whether the editor still lives; its end is usually seen as end of input."""

CLOSE_TIMEOUT_S = 3.0
"""How long the last messages may take to reach a slow client."""

MAX_WAITING_FRAMES = 256
"""Messages that may wait for the loop; then reading pauses, and with it the client."""

REQUEST_FAILED = -32803
PARSE_ERROR = -32700


class PilotfishServer(LanguageServer):
    """pygls's server; errors go to the log, since every request gets its own answer."""

    @classmethod
    def built(cls) -> "PilotfishServer":
        """Return one with our protocol and strict types."""
        return cls(
            "pilotfish",
            __version__,
            protocol_cls=AgentProtocol,
            converter_factory=strict_converter,
        )

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log instead of popping up a message in the editor."""
        logger.error("%s: %s", source.__name__, error)


class Connection:
    """One client from handshake to end."""

    def __init__(
        self,
        initialize: dict[str, Any],
        stdout: BinaryIO,
        build: BuildManager,
        *,
        testing: ForcedClock | None,
    ) -> None:
        """Set it up; ``testing`` is the engine's clock where there are methods of tests, else None."""
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._tasks = TaskScope("connection")
        self._build = build
        self._testing = testing
        self._initialize = initialize
        self._translate = translator(initialize["params"].get("locale"))
        self._server = PilotfishServer.built()
        self._protocol = cast("AgentProtocol", self._server.protocol)
        self._frames = OutputWriter(stdout, write_frame, self._end_soon)
        self._context = EditorContext()
        self._manager: SessionManager | None = None
        self._sessions: SessionMethods | None = None
        self._waiting = asyncio.Semaphore(MAX_WAITING_FRAMES)
        self._may_take = asyncio.Event()
        """Set unless the engine is being replaced: messages wait then."""
        self._may_take.set()
        self._client = capabilities_of(initialize["params"])
        abilities = json_object(self._client.get("editor"))
        code = EditorCode(self._channel_or_fail) if abilities.get("code") else None
        self._cover = EditorCover(self._channel_or_fail)
        askers = [self._cover, *([] if code is None else [code])]
        self._editor = self._new_editor(abilities, code)
        self._settings = SettingsFiles(
            self._server,
            lambda: None if self._manager is None else self._manager.settings_language(),
            self._tasks,
            self._translate,
            snippets=knows_snippets(initialize["params"]),
        )
        self._prompts = CodePrompts(
            self._server,
            self._tasks,
            self._translate,
            starts_prompts=starts_prompts(initialize["params"]),
        )
        self._code = CodeIntelligence(
            self._server,
            lambda: None if self._manager is None else self._manager.code_for_editor(),
            self._tasks,
            initialize["params"],
            is_taken=self._settings.has,
            is_asked_back=lambda uri: any(one.is_asking(uri) for one in askers),
        )
        self._facts = facts_of(initialize["params"])
        self._exit_code = 0

    def _new_editor(self, abilities: dict[str, Any], code: EditorCode | None) -> LspEditor:
        diagnostics = EditorDiagnostics(self._channel_or_fail)
        return LspEditor(
            self._server,
            self._channel_or_fail,
            can_save=bool(abilities.get("save")),
            can_edit_cells=bool(abilities.get("notebookEdit")),
            servers=EditorServers(
                diagnostics=diagnostics if abilities.get("diagnostics") else None,
                code=code,
                cover=self._cover if abilities.get("serves") else None,
            ),
        )

    async def run(self, stdin: BinaryIO) -> int:
        """Serve until the client leaves; returns the exit code."""
        self._register_documents()
        self._register_notebooks()
        self._register_language()
        self._protocol.replay(self._initialize)
        self._protocol.frames = self._frames
        frames: asyncio.Queue[Frame] = asyncio.Queue()

        def on_frame(frame: Frame) -> None:
            try:
                asyncio.run_coroutine_threadsafe(self._enqueue(frames, frame), self._loop).result()
            except (CancelledError, RuntimeError) as error:  # the loop has ended
                raise ConnectionClosed(str(error)) from error

        reader = FrameReader(stdin, on_frame, self._end_soon)
        self._install_signals()
        try:
            await self._start_engine()
            reader.start()
            self._tasks.start(self._dispatch(frames), name="dispatch")
            self._tasks.start(self._watch_parent(), name="parent watch")
            await self._ended.wait()
        finally:
            await self._shut_down()
        return self._exit_code

    async def _enqueue(self, frames: asyncio.Queue[Frame], frame: Frame) -> None:
        await self._waiting.acquire()
        frames.put_nowait(frame)

    async def _dispatch(self, frames: asyncio.Queue[Frame]) -> None:
        while True:
            frame = await frames.get()
            self._waiting.release()
            try:
                if isinstance(frame, dict):
                    await self._editor.opens(frame)
                await self._may_take.wait()
                self._take(frame)
            except Exception:  # this task's root: one message must not make the server deaf
                logger.exception("a message could not be taken")

    def _take(self, frame: Frame) -> None:
        match frame:
            case Oversized():
                self._refuse_oversized(frame)
            case Malformed(problem=problem):
                error = {"code": PARSE_ERROR, "message": problem}
                self._send({"jsonrpc": "2.0", "id": None, "error": error})
            case {"method": "exit"}:
                self._exit_code = 0 if self._protocol.was_shut_down else 1
                self._end()
            case _:
                self._protocol.receive(frame)

    def _refuse_oversized(self, frame: Oversized) -> None:
        logger.error("%s", frame.report)
        channel = self._protocol.channel
        if channel is not None and not frame.method and channel.give_up(frame.id, frame.refusal):
            return
        if frame.id is not None:
            error = {"code": REQUEST_FAILED, "message": frame.refusal}
            self._send({"jsonrpc": "2.0", "id": frame.id, "error": error})
        else:
            params = types.ShowMessageParams(type=types.MessageType.Error, message=frame.refusal)
            self._server.window_show_message(params)

    def _register_documents(self) -> None:
        server = self._server

        @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
        def _opened(params: types.DidOpenTextDocumentParams) -> None:
            self._editor.opened(params.text_document.uri)
            self._settings.opened(params.text_document.uri)
            self._code.changed(params.text_document.uri)

        @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
        def _changed(params: types.DidChangeTextDocumentParams) -> None:
            self._editor.changed()
            self._settings.changed(params.text_document.uri)
            self._code.changed(params.text_document.uri)

        @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
        def _saved(params: types.DidSaveTextDocumentParams) -> None:
            self._editor.saved(params.text_document.uri)
            self._settings.saved(params.text_document.uri)

        @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
        def _closed(params: types.DidCloseTextDocumentParams) -> None:
            self._editor.closed(params.text_document.uri)
            self._settings.closed(params.text_document.uri)
            self._prompts.closed(params.text_document.uri)
            self._code.closed(params.text_document.uri)

        @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
        def _configured(params: types.DidChangeConfigurationParams) -> None:
            self._configure(params.settings)

        @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
        def _folders(_: types.DidChangeWorkspaceFoldersParams) -> None:
            if self._manager is not None:
                self._manager.set_roots(roots_of(self._server))

    def _register_notebooks(self) -> None:
        server = self._server

        @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
        def _cells_opened(params: types.DidOpenNotebookDocumentParams) -> None:
            self._editor.notebook_opened(params.notebook_document.uri)

        @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
        def _cells_changed(_: types.DidChangeNotebookDocumentParams) -> None:
            self._editor.changed()

        @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
        def _cells_closed(params: types.DidCloseNotebookDocumentParams) -> None:
            self._editor.notebook_closed(params.notebook_document.uri)

    def _register_language(self) -> None:
        server = self._server
        self._code.register()

        @server.feature(
            types.TEXT_DOCUMENT_CODE_ACTION,
            types.CodeActionOptions(
                code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor]
            ),
        )
        async def _actions(params: types.CodeActionParams) -> list[types.CodeAction]:
            return [*await self._settings.quick_fixes(params), *await self._prompts.actions(params)]

        @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
        async def _lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
            return await self._prompts.lenses(params)

        @server.feature(types.TEXT_DOCUMENT_HOVER)
        async def _hover(params: types.HoverParams) -> types.Hover | None:
            return await self._settings.hover(params) or await self._code.hover(params)

        @server.feature(
            types.TEXT_DOCUMENT_COMPLETION,
            types.CompletionOptions(trigger_characters=list(COMPLETION_TRIGGERS)),
        )
        async def _complete(params: types.CompletionParams) -> types.CompletionList | None:
            return await self._settings.complete(params)

    async def _start_engine(self) -> None:
        params = self._initialize["params"]
        settings = json_object(json_object(params.get("initializationOptions")).get("settings"))
        self._prompts.configure(settings)
        set_log_level(settings.get("logLevel"))
        self._protocol.channel = AgentChannel(self._send, await self._build_engine())

    async def _build_engine(self) -> dict[str, Handler]:
        """Build what everything runs on; returns the methods that reach it."""
        facts = replace(self._facts, roots=roots_of(self._server))
        manager = self._manager = await self._build(facts, self._editor)
        manager.settings_language().has_schema = self._client.get("settingsSchema") is True
        table = self._handlers(manager)
        self._tasks.start(self._read_code_settings(manager), name="code settings")
        self._tasks.start(self._tell_provider(manager), name="provider")
        IndexProgress(self._server, manager.index(), self._tasks, self._translate)
        return table

    async def _begin_anew(self) -> None:
        """Replace the engine, for a test: nothing of the old one runs on, the new one knows nothing."""
        channel = self._channel_or_fail()
        self._may_take.clear()
        try:
            await self._end_sessions()  # whoever waits for a turn is told that it was cancelled
            await channel.end_requests()
            await self._end_sessions()  # what was being opened
            await self._end_engine()
            channel.serve(await self._build_engine())
        finally:
            self._may_take.set()

    async def _end_sessions(self) -> None:
        if self._manager is not None:
            for session in self._manager.open_sessions():
                await self._manager.close(session.id)

    async def _end_engine(self) -> None:
        if self._manager is not None:
            await self._manager.suspend_all()
        if self._sessions is not None:
            await self._sessions.close()

    async def _read_code_settings(self, manager: SessionManager) -> None:
        self._code.configure((await manager.code_settings()).editor_features)

    def _handlers(self, manager: SessionManager) -> dict[str, Handler]:
        peer = LatePeer(self._channel_or_fail)
        sessions = SessionMethods(
            manager,
            peer,
            can_answer=bool(self._client.get("permission", False)),
            can_fill_forms=lambda: "form" in json_object(self._client.get("elicitation")),
            extended=bool(self._client),
            context=self._context.describe,
        )
        self._sessions = sessions
        side = EditorSide(
            peer=peer,
            client=self._client,
            context=self._context,
            editor=self._editor,
            prompts=self._prompts,
        )
        table = agent_table(manager, sessions, side)
        table[methods.EDITOR_LANGUAGES.name] = Handler(
            params=LanguagesParams, call=self._take_languages
        )
        if self._testing is not None:
            table |= TestingMethods(
                manager,
                self._testing,
                open_documents=lambda: self._editor.open_count,
                begin_anew=self._begin_anew,
            ).handlers()
        return sessions.holding(table)

    async def _take_languages(self, params: LanguagesParams) -> None:
        self._cover.forget()
        await self._code.take_languages(params)

    async def _tell_provider(self, manager: SessionManager) -> None:
        if self._client:
            facts = await manager.describe_provider()
            params = ProviderParams(
                **facts.described,
                config_options=to_config_options(facts.options),
                limits=attachment_limits(),
                mode=facts.mode,
                tasks=list(facts.demo_tasks),
            )
            self._channel_or_fail().notify(methods.PROVIDER.name, params.model_dump(by_alias=True))

    def _configure(self, settings: Any) -> None:
        ours = json_object(json_object(settings).get("pilotfish"))
        if self._manager is not None and ours:
            settings, trusted = settings_from_editor(ours), trust_from_editor(ours)
            self._facts = replace(
                self._facts,
                settings=settings,
                trusted=self._facts.trusted if trusted is None else trusted,
            )
            self._manager.configure(settings, trusted=trusted)
            self._settings.look_again()
            self._prompts.configure(ours)
            set_log_level(ours.get("logLevel"))
            self._tasks.start(self._read_code_settings(self._manager), name="code settings")
            self._tasks.start(self._tell_provider(self._manager), name="provider")

    def _channel_or_fail(self) -> AgentChannel:
        channel = self._protocol.channel
        if channel is None:
            raise SessionError("The connection is not ready.")
        return channel

    def _send(self, message: dict[str, Any]) -> None:
        self._frames.write(strict_json.encode(localise(message, self._translate)))

    def _install_signals(self) -> None:
        if sys.platform != "win32":
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                self._loop.add_signal_handler(number, self._end)

    async def _watch_parent(self) -> None:
        """End when the editor's process is gone, however its pipes fare."""
        number = self._server.process_id
        if number is None:
            return
        parent = await asyncio.to_thread(ParentWatch, number)
        while True:
            await asyncio.sleep(PARENT_CHECK_S)
            if await asyncio.to_thread(parent.is_gone):
                logger.warning("the editor (process %d) is gone", number)
                self._end()
                return

    def _end(self) -> None:
        self._ended.set()

    def _end_soon(self) -> None:
        """End from another thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ended.set)

    async def _shut_down(self) -> None:
        """Suspend the sessions, end the children, send what is left."""
        channel = self._protocol.channel
        if channel is not None:
            channel.hang_up()
        await self._end_engine()
        if channel is not None:
            await channel.close()
        await self._tasks.close()
        await asyncio.to_thread(self._frames.close, CLOSE_TIMEOUT_S)

"""The server behind the handshake.

Owns: wiring pygls, the agent channel and the engine for one connection, and the connection's end:
end of input, ``exit``, a signal, a vanished parent.
Does not own: the handshake (``edges.lsp.greeting``), any method's work.
"""

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from pilotfish import __version__
from pilotfish.core.errors import SessionError
from pilotfish.edges.agent_methods import AgentMethods
from pilotfish.edges.agent_type_methods import AgentTypeMethods
from pilotfish.edges.aside_methods import AsideMethods
from pilotfish.edges.channel import AgentChannel, Handler, LatePeer
from pilotfish.edges.commands import CommandMethods
from pilotfish.edges.config_options import to_config_options
from pilotfish.edges.edits_methods import EditsMethods
from pilotfish.edges.localise import localise, translator
from pilotfish.edges.lsp.asked_prompts import AskedPrompts
from pilotfish.edges.lsp.attachment_limits import attachment_limits
from pilotfish.edges.lsp.capabilities import COMPLETION_TRIGGERS, starts_prompts
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
from pilotfish.edges.mention_methods import MentionMethods
from pilotfish.edges.output import OutputWriter
from pilotfish.edges.output_methods import OutputMethods
from pilotfish.edges.oversized import Oversized
from pilotfish.edges.permission_methods import PermissionMethods
from pilotfish.edges.pilotfish_methods import PilotfishMethods
from pilotfish.edges.process_methods import ProcessMethods
from pilotfish.edges.queue_methods import QueueMethods
from pilotfish.edges.report_methods import ReportMethods
from pilotfish.edges.session_methods import SessionMethods
from pilotfish.edges.sessions_methods import SessionsMethods
from pilotfish.edges.task_methods import TaskMethods
from pilotfish.edges.terminals import ClientTerminals
from pilotfish.ports.editor import EditorPort
from pilotfish.session.manager import SessionManager
from pilotfish.util import strict_json
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope
from pilotfish.wire import methods
from pilotfish.wire.editor import EditorContextParams, LanguagesParams
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


@dataclass(frozen=True, kw_only=True)
class ClientFacts:
    """What the client said in ``initialize``, as far as the engine cares."""

    roots: tuple[Path, ...]
    settings: dict[str, Any]
    """The editor's ``pilotfish.*`` settings."""
    usual: dict[str, Any]
    """What counts where no setting says anything, as a settings file would have it."""
    trusted: bool | None
    """Whether the editor trusts the workspace; None when it does not say."""
    locale: str | None
    """Its display language, such as ``zh-cn``."""


BuildManager = Callable[[ClientFacts, EditorPort], Awaitable[SessionManager]]
"""Builds the engine for a connection; given by the composition root."""


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
        self, initialize: dict[str, Any], stdout: BinaryIO, build: BuildManager, *, testing: bool
    ) -> None:
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
        capabilities = _pilotfish_capabilities(initialize["params"])
        self._client = capabilities
        abilities = _object(capabilities.get("editor"))
        code = EditorCode(self._channel_or_fail) if abilities.get("code") else None
        diagnostics = EditorDiagnostics(self._channel_or_fail)
        self._cover = EditorCover(self._channel_or_fail)
        self._editor = LspEditor(
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
        self._settings = SettingsFiles(
            self._server,
            lambda: None if self._manager is None else self._manager.settings_language(),
            self._tasks,
            self._translate,
            snippets=_knows_snippets(initialize["params"]),
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
            is_asked_back=_never if code is None else code.is_asking,
        )
        self._exit_code = 0

    async def run(self, stdin: BinaryIO) -> int:
        """Serve until the client leaves; returns the exit code."""
        self._register_documents()
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
            self._editor.changed()
            self._settings.saved(params.text_document.uri)

        @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
        def _closed(params: types.DidCloseTextDocumentParams) -> None:
            self._editor.closed(params.text_document.uri)
            self._settings.closed(params.text_document.uri)
            self._prompts.closed(params.text_document.uri)
            self._code.closed(params.text_document.uri)

        @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
        def _cells_changed(_: types.DidChangeNotebookDocumentParams) -> None:
            self._editor.changed()

        @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
        def _cells_closed(_: types.DidCloseNotebookDocumentParams) -> None:
            self._editor.changed()

        @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
        def _configured(params: types.DidChangeConfigurationParams) -> None:
            self._configure(params.settings)

        @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
        def _folders(_: types.DidChangeWorkspaceFoldersParams) -> None:
            if self._manager is not None:
                self._manager.set_roots(_roots_of(self._server))

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
        options = _object(params.get("initializationOptions"))
        settings = _object(options.get("settings"))
        self._prompts.configure(settings)
        set_log_level(settings.get("logLevel"))
        facts = ClientFacts(
            roots=_roots_of(self._server),
            settings=settings_from_editor(settings),
            usual=settings_from_editor(_object(options.get("usual"))),
            trusted=trust_from_editor(self._client),
            locale=params.get("locale"),
        )
        self._manager = await self._build(facts, self._editor)
        language = self._manager.settings_language()
        language.has_schema = self._client.get("settingsSchema") is True
        self._protocol.channel = AgentChannel(self._send, self._handlers(self._manager))
        self._tasks.start(self._read_code_settings(self._manager), name="code settings")
        self._tasks.start(self._tell_provider(self._manager), name="provider")
        IndexProgress(self._server, self._manager.index(), self._tasks, self._translate)

    async def _read_code_settings(self, manager: SessionManager) -> None:
        self._code.configure((await manager.code_settings()).editor_features)

    def _handlers(self, manager: SessionManager) -> dict[str, Handler]:
        sessions = SessionMethods(
            manager,
            LatePeer(self._channel_or_fail),
            can_answer=bool(self._client.get("permission", False)),
            can_fill_forms=lambda: "form" in _object(self._client.get("elicitation")),
            extended=bool(self._client),
            context=self._context.describe,
        )
        self._sessions = sessions
        if self._client.get("terminal"):
            peer = LatePeer(self._channel_or_fail)
            manager.offer_terminals(ClientTerminals(peer, manager.watch_outside))
        ours = PilotfishMethods(manager, sessions.session)
        rules = PermissionMethods(manager, sessions.session, LatePeer(self._channel_or_fail))
        if self._client:
            rules.follow()
        reviews = EditsMethods(sessions.session)
        table: dict[str, Handler] = {
            **sessions.handlers(),
            **ours.handlers(),
            **SessionsMethods(manager).handlers(),
            **AsideMethods(sessions.session, LatePeer(self._channel_or_fail)).handlers(),
            **QueueMethods(sessions.session).handlers(),
            **rules.handlers(),
            **reviews.handlers(),
            **TaskMethods(sessions.session).handlers(),
            **AgentMethods(manager, sessions.session).handlers(),
            **AgentTypeMethods(manager, sessions.session).handlers(),
            **CommandMethods(manager, sessions.session).handlers(),
            **ProcessMethods(manager).handlers(),
            **ReportMethods(manager, sessions.session).handlers(),
            **OutputMethods(manager).handlers(),
            **MentionMethods(manager, sessions.session, self._context.lately).handlers(),
            **AskedPrompts(self._prompts, manager, sessions.session, self._editor).handlers(),
        }
        table[methods.EDITOR_CONTEXT.name] = Handler(
            params=EditorContextParams, call=self._editor_context
        )
        table[methods.EDITOR_LANGUAGES.name] = Handler(
            params=LanguagesParams, call=self._take_languages
        )
        if self._testing:
            table |= ours.testing_handlers(lambda: self._editor.open_count)
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
            )
            self._channel_or_fail().notify(methods.PROVIDER.name, params.model_dump(by_alias=True))

    async def _editor_context(self, params: EditorContextParams) -> None:
        self._context.update(params)

    def _configure(self, settings: Any) -> None:
        ours = _object(_object(settings).get("pilotfish"))
        if self._manager is not None and ours:
            self._manager.configure(settings_from_editor(ours), trusted=trust_from_editor(ours))
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
        if self._manager is not None:
            await self._manager.suspend_all()
        if self._sessions is not None:
            await self._sessions.close()
        if self._protocol.channel is not None:
            await self._protocol.channel.close()
        await self._tasks.close()
        await asyncio.to_thread(self._frames.close, CLOSE_TIMEOUT_S)


def _never(_: str | None) -> bool:
    """Stand in where no editor is asked about code."""
    return False


def _pilotfish_capabilities(params: dict[str, Any]) -> dict[str, Any]:
    """Return ``capabilities.experimental.pilotfish``; empty when the client does not know us."""
    capabilities = _object(params.get("capabilities"))
    return _object(_object(capabilities.get("experimental")).get("pilotfish"))


def _knows_snippets(params: dict[str, Any]) -> bool:
    """Tell whether the editor fills in the places of a completion's text."""
    found: Any = params.get("capabilities")
    for step in ("textDocument", "completion", "completionItem"):
        found = _object(found).get(step)
    return _object(found).get("snippetSupport") is True


def _object(value: Any) -> dict[str, Any]:
    """Return a JSON object, or an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _roots_of(server: LanguageServer) -> tuple[Path, ...]:
    """Return the workspace folders as paths, the first one first."""
    folders = [folder.uri for folder in server.workspace.folders.values()]
    if not folders and server.workspace.root_uri:
        folders = [server.workspace.root_uri]
    paths = (uris.to_fs_path(uri) for uri in folders if uri.startswith("file:"))
    return tuple(Path(path) for path in paths if path)

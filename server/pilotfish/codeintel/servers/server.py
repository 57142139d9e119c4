"""One running language server.

Owns: the handshake, what it can do, what it asks of us, what it works on, its documents and findings.
Does not own: the wire (``rpc``), when it starts and ends (``pool``), how to get a judgement (``judge``).
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Mapping, Set
from pathlib import Path

from pilotfish.codeintel.servers.capabilities import initialize_params
from pilotfish.codeintel.servers.detect import Found
from pilotfish.codeintel.servers.documents import OpenDocuments, Opener
from pilotfish.codeintel.servers.findings import Findings
from pilotfish.codeintel.servers.rest import Rest
from pilotfish.codeintel.servers.rpc import RpcClient, ServerFailure, UnknownMethod
from pilotfish.codeintel.servers.shapes import (
    as_list,
    as_number,
    as_object,
    as_text,
    from_uri,
    get_in,
    to_uri,
)
from pilotfish.codeintel.servers.watchers import Watchers
from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.ports.processes import OpenChild
from pilotfish.util.tasks import TaskScope

MAX_REGISTRATIONS = 200
"""Registrations that are remembered."""

LOADED_AFTER_S = 5.0
"""Once it has rested for so long, what it begins to work on is no loading of the project any more."""

LOADING_LIMIT_S = 600.0
"""Longest time that loading is taken for granted: a server may never tell that it is done."""

MAX_PROGRESS = 100
"""Pieces of work in progress that are remembered."""

SHUTDOWN_LIMIT_S = 1.0
"""How long a server may take to answer ``shutdown`` before it is ended anyhow."""

EXIT_LIMIT_S = 1.0
"""How long it may take to leave after that."""


class LanguageServer:
    """A server after it was started; ``start`` must be called before anything else."""

    TSSERVER_COMMAND = "typescript.tsserverRequest"
    """By it ``typescript-language-server`` passes a request on to the compiler."""

    def __init__(self, found: Found, child: OpenChild, python: Path | None = None) -> None:
        self.found = found
        self.child = child
        self.findings = Findings()
        self.rpc = RpcClient(child, self._heard, self._asked)
        self.documents = OpenDocuments(self.rpc.notify, self._language_of)
        self.version = ""
        """What it calls itself, for tables."""
        self._settings = _settings_of(found, python)
        self._capabilities: JsonObject = {}
        self._registered: dict[str, str] = {}
        self._working: dict[str, str] = {}
        self._watchers = Watchers(found.root)
        self._has_worked = False
        self._rests_since = 0.0
        self._has_loaded = False
        """Whether what it works on now is no loading of the project any more, but a check after an edit, say."""
        self._ready_at = 0.0
        self._tasks = TaskScope(found.definition.name)
        self.ended = asyncio.Event()
        """Set when the connection is gone."""
        self.turn = asyncio.Lock()
        """Held by whoever needs the documents to stay as they are; see also ``turn_of``."""
        self.has_settled = False
        """Whether it has judged something already: what it does not know of by now, it does not mind."""
        self.workspace_rest = Rest()
        """Goes on while it is not asked about the whole workspace, since that took too long."""

    @property
    def name(self) -> str:
        """The server's name."""
        return self.found.definition.name

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return not self.ended.is_set()

    @property
    def pulls(self) -> bool:
        """Whether diagnostics are asked for, not only sent."""
        return self.asks_tsserver or self.can("diagnosticProvider", "textDocument/diagnostic")

    @property
    def asks_tsserver(self) -> bool:
        """Whether diagnostics are asked of the compiler behind it; see ``tsserver``."""
        commands = as_list(get_in(self._capabilities, "executeCommandProvider", "commands"))
        is_it = self.found.program.name.startswith("typescript-language-server")
        return is_it and self.TSSERVER_COMMAND in commands

    @property
    def pulls_workspace(self) -> bool:
        """Whether it can be asked about the whole workspace."""
        static = get_in(self._capabilities, "diagnosticProvider", "workspaceDiagnostics")
        can = static is True or "workspace/diagnostic" in self._methods
        return can and self.workspace_rest.is_over

    @property
    def working_on(self) -> str:
        """What it is busy with; empty when it is not."""
        return next(iter(self._working.values()), "")

    def is_loading(self, settle_s: float = 0.0) -> bool:
        """Tell whether it still reads the project, so that it may know more later.

        Args:
            settle_s: So long after its start that is taken for granted until it tells of work.
        """
        age_s = asyncio.get_running_loop().time() - self._ready_at
        if self._has_loaded or age_s > LOADING_LIMIT_S:
            return False
        return bool(self._working) if self._has_worked else age_s < settle_s

    @property
    def _methods(self) -> set[str]:
        return set(self._registered.values())

    def can(self, capability: str, method: str = "") -> bool:
        """Tell whether it has a capability, from the start or registered later."""
        return self._capabilities.get(capability) not in (None, False) or method in self._methods

    async def start(self, limit_s: float) -> None:
        """Shake hands.

        Raises:
            ServerFailure: It ended, refused, or took too long.
        """
        self._tasks.start(self._run(), name="connection")
        options = as_object(dict(self.found.definition.initialization_options))
        params = initialize_params(self.found.root, os.getpid(), options)
        answer = as_object(await self.rpc.request("initialize", params, limit_s))
        self._capabilities = as_object(answer.get("capabilities"))
        encoding = self._capabilities.get("positionEncoding", "utf-16")
        if encoding != "utf-16":
            raise ServerFailure(f"it insists on positions in {as_text(encoding, 20)}")
        self.version = as_text(get_in(answer, "serverInfo", "version"), 60)
        self._ready_at = asyncio.get_running_loop().time()
        self.rpc.notify("initialized", {})
        if self._settings:
            self.rpc.notify("workspace/didChangeConfiguration", {"settings": self._settings})

    async def stop(self) -> None:
        """Ask it to leave, then end it. Returns when it is gone."""
        with contextlib.suppress(ServerFailure, TimeoutError):
            await self.rpc.request("shutdown", {}, SHUTDOWN_LIMIT_S)
            self.rpc.notify("exit", {})
            # What it does at its end it does now.
            async with asyncio.timeout(EXIT_LIMIT_S):
                await self.child.wait()
        await self.child.stop()
        await self._tasks.close()
        self.ended.set()

    @contextlib.asynccontextmanager
    async def turn_of(self, opener: Opener) -> AsyncGenerator[None]:
        """Hold ``turn`` for somebody: what is looked at meanwhile is open for that one."""
        async with self.turn:
            self.documents.opener = opener
            try:
                yield
            finally:
                if opener.is_over and self.is_alive:
                    with contextlib.suppress(ServerFailure):  # it has just ended
                        self.documents.close_all_of(opener)

    def sync(self, path: Path, text: str) -> int:
        """Make it see a text; opens the document when it is not open. Returns its version."""
        since = self.findings.number
        version, sent = self.documents.sync(path, text)
        if sent:
            self.findings.valid_from[path] = since
        return version

    def keep_up(self, path: Path, text: str) -> None:
        """Make it see a text if it has the document open. Nobody has it looked at by that."""
        if path in self.documents and self.documents.text_of(path) != text:
            self.findings.valid_from[path] = self.findings.number
            self.documents.keep_up(path, text)

    def files_changed(self, changes: Mapping[Path, int], folders: Set[Path] = frozenset()) -> None:
        """Tell of files that changed on the disk, if it wants to know.

        Args:
            changes: By path what became of it; see ``watchers``.
            folders: Those that are new folders, whose name says nothing of what came with them.
        """
        if not self.is_alive:
            return
        events: list[JsonValue] = [
            {"uri": to_uri(path), "type": kind}
            for path, kind in changes.items()
            if self._watchers.wants(path, kind)
            or (path in folders and self._watchers.wants_anything)
        ]
        if events:
            self.rpc.notify("workspace/didChangeWatchedFiles", {"changes": events})

    async def _run(self) -> None:
        try:
            await self.rpc.run()
        finally:
            self.ended.set()
            self.findings.wake()

    def _language_of(self, path: Path) -> str:
        return self.found.definition.languages.get(path.suffix.lower(), "plaintext")

    # --- what it tells ---

    def _heard(self, method: str, params: JsonObject) -> None:
        match method:
            case "textDocument/publishDiagnostics" if self.asks_tsserver:
                pass  # may be about a text that it was sent before, and does not say so
            case "textDocument/publishDiagnostics":
                path = from_uri(params.get("uri"))
                version = as_number(params.get("version"))
                if path is not None and not self._is_stale(path, version):
                    self.findings.pushed(path, version, params.get("diagnostics"))
            case "$/progress":
                self._progress(params)
            case _:
                pass  # logs, telemetry and what else it may say

    def _is_stale(self, path: Path, version: int | None) -> bool:
        """Tell whether a list is about a text that the document has no more."""
        present = self.documents.version_of(path)
        return version is not None and present is not None and version < present

    def _progress(self, params: JsonObject) -> None:
        token = as_text(str(params.get("token")), 200)
        value = as_object(params.get("value"))
        now = asyncio.get_running_loop().time()
        if value.get("kind") == "begin" and len(self._working) < MAX_PROGRESS:
            has_rested = not self._working and now > self._rests_since + LOADED_AFTER_S
            self._has_loaded = self._has_loaded or (self._has_worked and has_rested)
            self._has_worked = True
            self._working[token] = as_text(value.get("title"), 80) or "working"
        elif value.get("kind") == "end":
            self._working.pop(token, None)
            self._rests_since = now
            self.findings.wake()

    # --- what it asks ---

    def _asked(self, method: str, params: JsonObject) -> JsonValue:
        match method:
            case "workspace/configuration":
                return [self._setting(as_object(one)) for one in as_list(params.get("items"))[:100]]
            case "workspace/workspaceFolders":
                root = self.found.root
                return [{"uri": to_uri(root), "name": root.name or "workspace"}]
            case "client/registerCapability":
                self._register(params)
            case "client/unregisterCapability":
                for one in as_list(params.get("unregisterations")):
                    self._unregister(as_text(as_object(one).get("id"), 200))
            case _:
                return _usual_answer(method)
        return None

    def _setting(self, item: JsonObject) -> JsonValue:
        section = as_text(item.get("section"), 200)
        return get_in(self._settings, *section.split(".")) if section else self._settings

    def _register(self, params: JsonObject) -> None:
        for item in as_list(params.get("registrations")):
            one = as_object(item)
            if len(self._registered) >= MAX_REGISTRATIONS:
                return
            method = as_text(one.get("method"), 200)
            name = as_text(one.get("id"), 200)
            self._registered[name] = method
            if method == "workspace/didChangeWatchedFiles":
                self._watchers.register(name, one.get("registerOptions"))
            if get_in(one, "registerOptions", "workspaceDiagnostics") is True:
                self._registered[f"{name}/workspace"] = "workspace/diagnostic"
        self.findings.wake()

    def _unregister(self, name: str) -> None:
        self._registered.pop(name, None)
        self._registered.pop(f"{name}/workspace", None)
        self._watchers.unregister(name)


def _usual_answer(method: str) -> JsonValue:
    match method:
        case "workspace/applyEdit":
            # It is a reader here; what it wants to change goes through an edit of ours.
            return {"applied": False, "failureReason": "Pilotfish makes its own edits."}
        case "window/showDocument":
            return {"success": False}
        case "window/workDoneProgress/create" | "window/showMessageRequest":
            return None
        case _ if method.startswith("workspace/") and method.endswith("/refresh"):
            return None  # everything is asked for anew when it is needed
        case _:
            raise UnknownMethod(method)


def _settings_of(found: Found, python: Path | None) -> JsonObject:
    settings: JsonObject = dict(found.definition.settings)
    if python is not None and found.definition.home == "python":
        settings["python"] = {"pythonPath": str(python), **as_object(settings.get("python"))}
    return settings

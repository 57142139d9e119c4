"""A conversation's share of the language servers.

Owns: what its settings permit, whether the editor or our own servers tell what edits break.
Does not own: the servers (``codeintel.servers``), the notes (``codeintel.semantic``).
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pilotfish.codeintel.after_edit import DiagnosticsAfterEdit
from pilotfish.codeintel.edit_report import EditReport
from pilotfish.codeintel.languages import grammar_of
from pilotfish.codeintel.note_text import NoteLimits, TurnRoom
from pilotfish.codeintel.semantic import SemanticDiagnostics, SemanticLimits, ToldProblems
from pilotfish.codeintel.semantic_by_file import SemanticByFile, Teller
from pilotfish.codeintel.servers.access import ServerAccess
from pilotfish.codeintel.servers.code import LanguageServerSource
from pilotfish.codeintel.servers.detect import Found
from pilotfish.codeintel.servers.diagnostics import ServerDiagnostics
from pilotfish.codeintel.servers.documents import Opener
from pilotfish.codeintel.servers.lookup import ServerProblems
from pilotfish.codeintel.servers.patience import Patience
from pilotfish.codeintel.servers.pool import ServerPool
from pilotfish.codeintel.servers.reach import Reach
from pilotfish.codeintel.servers.registry import BUILT_IN, ServerDefinition, definitions_with
from pilotfish.codeintel.servers.shadow import Lists, Proposed
from pilotfish.codeintel.servers.warm_up import WarmUp
from pilotfish.codeintel.sources import CodeSources
from pilotfish.codeintel.warm_syntax import SyntaxWarmUp
from pilotfish.config.code_intelligence import CodeIntelligenceSettings, ServerEntry
from pilotfish.config.schema import LoadedSettings
from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.diagnostics import DiagnosticsSource, ProblemList
from pilotfish.ports.editor import EditorPort
from pilotfish.util.real_path import real_path
from pilotfish.util.records import dataclass
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.text_file import load_text_file

EDITOR_LIMIT_S = 3.0
"""How long a file that the editor has not judged yet is waited for."""


@dataclass(kw_only=True)
class Permitted:
    """What the settings permit; a session and its agents have it in common."""

    access: ServerAccess
    """The folders in it are the session's; an agent may work in others."""
    settings: CodeIntelligenceSettings = CodeIntelligenceSettings()


class CodeServers:
    """One per conversation: the session's own, and each of its agents'."""

    def __init__(
        self,
        pool: ServerPool,
        editor: EditorPort,
        roots: tuple[Path, ...],
        files: FileStates,
        permitted: Permitted | None = None,
    ) -> None:
        """Set it up.

        Args:
            pool: The servers of this process.
            editor: Whose open documents are the truth.
            roots: The folders that it works in, resolved.
            files: What it has read and written.
            permitted: What the settings permit; None: nothing before ``take``.
        """
        self._editor = editor
        self._roots = roots
        self._files = files
        self._permitted = permitted or Permitted(access=ServerAccess(roots=roots, trusted=False))
        self._opener = Opener()
        self._reach = Reach(
            pool=pool,
            access=self._get_access,
            read=self.read,
            opener=self._opener,
            held=editor.open_paths,
        )
        light = replace(self._reach, access=lambda: self._access_to(is_light))
        described = replace(self._reach, access=lambda: self._access_to(is_described))
        self._own = ServerDiagnostics(self._reach, self._related)
        self._light = ServerDiagnostics(light, self._related)
        self._described = ServerDiagnostics(described, self._related)
        self._lookup = ServerProblems(self._reach)
        self._light_lookup = ServerProblems(light)
        self._described_lookup = ServerProblems(described)
        self._warm_ups = (
            WarmUp(self._reach).seen,
            SyntaxWarmUp(self.read, pool.scope).seen,
        )
        files.on_read = self._was_read
        files.on_forgotten = lambda: pool.close_all_files(self._opener)

    def for_agent(self, roots: tuple[Path, ...], files: FileStates) -> "CodeServers":
        """Return an agent's share: what it edits is judged by itself, in the folders that it works in.

        Args:
            roots: Those folders, resolved.
            files: What the agent has read and written.
        """
        return CodeServers(self._reach.pool, self._editor, roots, files, self._permitted)

    def edit_report(self, root: Path) -> EditReport:
        """Return what tells the model of its edits.

        Syntax is checked here; the rest is judged by the editor where that looks, else by our servers.
        """
        syntax = DiagnosticsAfterEdit(root, self.is_quiet, TurnRoom(self._note_limits))
        return EditReport(syntax, self._semantic(root, syntax))

    def _semantic(
        self, root: Path, syntax: DiagnosticsAfterEdit
    ) -> SemanticDiagnostics | SemanticByFile:
        def told_by(
            source: DiagnosticsSource, told: ToldProblems | None = None
        ) -> SemanticDiagnostics:
            return SemanticDiagnostics(
                root, source, lambda: syntax.told_places, self.limits, syntax.room, told
            )

        editor = self._editor.diagnostics
        if editor is None:
            return told_by(self._own)
        told: ToldProblems = {}
        tellers: dict[Teller, SemanticDiagnostics] = {
            "editor": told_by(editor, told),
            "own": told_by(self._own, told),
            "light": told_by(self._light, told),
            "described": told_by(self._described, told),
        }
        return SemanticByFile(tellers, self._tellers_of_edit, told)

    async def _tellers_of_edit(self, path: Path) -> Sequence[Teller]:
        return () if self.limits().is_quiet(path) else await self._tellers_of(path)

    async def _tellers_of(self, path: Path) -> Sequence[Teller]:
        """Return who tells what is wrong with a file: the editor if its servers look at it, else we do.

        Many of them look at files in tabs alone. Ours know what was wrong with a file before an edit,
        but stand for the editor's only where one of them judges the same things.
        """
        if not await self._editor.serves(path):
            return ("own",)
        if not await self._editor.judges(path) and await self._has(path, is_light):
            return ("light",) if await self._has(path, stands_for_editor) else ("editor", "light")
        return ("editor", "described") if await self._has(path, is_described) else ("editor",)

    async def _has(self, path: Path, is_meant: Callable[[ServerDefinition], bool]) -> bool:
        """Tell whether there is a server of ours for a file, of those that are meant."""
        access = self._access_to(is_meant)
        if not any(path.suffix.lower() in one.languages for one in access.table):
            return False
        found = await self._reach.pool.servers_for(path, access)
        return any(self._reach.pool.may_start(one) for one in found)

    async def preview(self, changes: Sequence[Proposed]) -> tuple[Lists, Lists] | None:
        """Return the problems without and with changes that are not made; None: nobody can tell."""
        limit_s = self._permitted.settings.preflight_wait_ms / 1000
        if not limit_s:
            return None
        is_quiet = self.limits().is_quiet
        told = [one for one in changes if not is_quiet(one.path)]
        try:
            async with asyncio.timeout(limit_s):
                served = await asyncio.gather(*(self._editor.serves(one.path) for one in told))
        except TimeoutError:
            return None
        by_editor = {one.path for one, is_served in zip(told, served, strict=True) if is_served}
        return await self._own.preview(told, limit_s, by_editor)

    async def problems(self, path: Path | None) -> ProblemList | None:
        """Return the problems of a file, None: of the project; see ``ports.diagnostics``."""
        if path is None:
            return joined(await self._problems_in_editor(None), await self._lookup.of_project())
        real = await asyncio.to_thread(real_path, path)
        tellers = await self._tellers_of(real)
        if "own" in tellers:
            return await self._lookup.of_file(real)
        ours: ProblemList | None = None
        if "light" in tellers:
            ours = await self._light_lookup.of_file(real)
        elif "described" in tellers:
            ours = await self._described_lookup.of_file(real)
        if ours is not None and "editor" not in tellers:
            return ours
        return joined(await self._problems_in_editor(real), ours)

    async def _problems_in_editor(self, path: Path | None) -> ProblemList | None:
        source = self._editor.diagnostics
        if source is None:
            return None
        # Since revision 0: a file that was never judged is waited for, any other told at once.
        report = await (
            source.now() if path is None else source.after([path], since=0, limit_s=EDITOR_LIMIT_S)
        )
        if report is None:
            return None
        judged = report.published | report.watched
        known = path is None or path in judged or bool(report.problems.get(path))
        if not known:
            return None
        problems = report.problems if path is None else {path: report.problems.get(path, ())}
        # Of a project an editor knows what its servers have looked at, often the open files alone.
        return ProblemList(source=source.name, problems=problems, complete=path is not None)

    def sources(self, shared: CodeSources) -> CodeSources:
        """Return who is asked about code in this conversation: our servers come after the editor."""
        own = LanguageServerSource(
            self._reach, Patience(may_start=NoSecond(self._editor).may_start)
        )
        return shared.with_source(own, 0 if self._editor.code is None else 1)

    def take(self, loaded: LoadedSettings) -> None:
        """Take over settings, for its agents, too."""
        settings = loaded.settings.code_intelligence
        self._permitted.settings = settings
        self._permitted.access = access_from(settings, self._roots, trusted=loaded.trusted)

    def work_in(self, roots: tuple[Path, ...]) -> None:
        """Let its folders be these from now on, under the same permission to start servers."""
        self._roots = roots

    def close(self) -> None:
        """Let go of what was open for it; the servers stay, for others and for later."""
        self._opener.is_over = True
        self._reach.pool.close_all_files(self._opener)

    def limits(self) -> SemanticLimits:
        """Return what the settings say of diagnostics."""
        settings = self._permitted.settings
        return SemanticLimits(
            wait_s=settings.diagnostics_wait_ms / 1000,
            is_quiet=lambda path: not settings.diagnostics or self.is_quiet(path),
        )

    def _note_limits(self) -> NoteLimits:
        settings = self._permitted.settings
        return NoteLimits(
            per_file=settings.diagnostics_per_file, per_turn=settings.diagnostics_per_turn
        )

    def is_quiet(self, path: Path) -> bool:
        """Tell whether the user wants nothing said of the diagnostics of such files."""
        return bool(self._permitted.settings.quiet_languages & languages_of(path))

    def read(self, path: Path) -> str | None:
        """Return a file's text from where it is true; None when it has none. Blocks."""
        return text_of(path, self._editor)

    def _was_read(self, path: Path) -> None:
        for seen in self._warm_ups:
            seen(path)

    def _get_access(self) -> ServerAccess:
        return replace(self._permitted.access, roots=self._roots)

    def _access_to(self, is_meant: Callable[[ServerDefinition], bool]) -> ServerAccess:
        access = self._get_access()
        return replace(access, table=tuple(one for one in access.table if is_meant(one)))

    def _related(self) -> tuple[Path, ...]:
        """Return the files that an edit may break: those that it knows, then what the user has open."""
        return tuple(dict.fromkeys((*self._files.paths()[::-1], *self._editor.open_paths())))


class NoSecond:
    """Keeps a heavy server of ours from being started beside the editor's own of the same language.

    One costs gigabytes and minutes, and would know no more: where the editor's has no answer, the index
    is asked. Light ones may run beside it, and so may one that the user has described.
    """

    def __init__(self, editor: EditorPort) -> None:
        self._editor = editor

    async def may_start(self, found: Found, path: Path) -> bool:
        """Tell whether a server may be started for a question about a file."""
        if found.definition.beside_editor or self._editor.code is None:
            return True  # an editor that answers no questions about code is of no help, whatever runs in it
        return not await self._editor.serves(path)


def is_light(definition: ServerDefinition) -> bool:
    """Tell whether a server may run beside the editor's."""
    return definition.beside_editor


def stands_for_editor(definition: ServerDefinition) -> bool:
    """Tell whether a light server judges what the editor's would: types and names."""
    return definition.beside_editor and not definition.is_linter and not definition.described


def is_described(definition: ServerDefinition) -> bool:
    """Tell whether the user has described a server."""
    return definition.described


def joined(one: ProblemList | None, other: ProblemList | None) -> ProblemList | None:
    """Return what two know of the same things together."""
    if one is None or other is None:
        return one or other
    problems = {path: list(found) for path, found in one.problems.items()}
    for path, found in other.problems.items():
        problems.setdefault(path, []).extend(found)
    return ProblemList(
        source=f"{one.source}, {other.source}",
        problems=problems,
        complete=one.complete and other.complete,
    )


def access_from(
    settings: CodeIntelligenceSettings, roots: tuple[Path, ...], *, trusted: bool
) -> ServerAccess:
    """Return what settings permit."""
    table = definitions_with(_definition(entry) for entry in settings.servers)
    return ServerAccess(
        roots=roots,
        trusted=trusted,
        enabled=settings.use_servers,
        table=tuple(one for one in table if one.name not in settings.servers_off),
        python=settings.python,
        python_by_folder=settings.python_by_folder,
    )


def languages_of(path: Path) -> set[str]:
    """Return the names by which a setting may mean a file's language."""
    suffix = path.suffix.lower()
    found = {one.languages[suffix] for one in BUILT_IN if suffix in one.languages}
    grammar = grammar_of(path)
    return found if grammar is None else found | {grammar}


def text_of(path: Path, editor: EditorPort) -> str | None:
    """Return a file's text as the editor holds it, else as on disk; None for none. Blocks."""
    document = editor.document(path)
    return text_on_disk(path) if document is None else document.text


def text_on_disk(path: Path) -> str | None:
    """Return the text of a file; None when there is none that can be read. Blocks."""
    try:
        return load_text_file(path).text
    except (OSError, WorkspaceError):
        return None


def _definition(entry: ServerEntry) -> ServerDefinition:
    return ServerDefinition(
        name=entry.name,
        argv=entry.argv,
        languages=entry.languages,
        root_markers=(entry.root_markers,) if entry.root_markers else (),
        initialization_options=entry.initialization_options,
        settings=entry.settings,
        env=entry.env,
        variant=repr(entry),
        # Whoever describes a server wants it to be used.
        beside_editor=True,
        described=True,
    )

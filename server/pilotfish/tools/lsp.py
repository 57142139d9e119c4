"""The LSP tool.

Owns: its arguments, and which question each operation puts.
Does not own: who answers (``codeintel.sources``), finding the symbol (``tools.lsp_place``), the form
of answers (``tools.lsp_answers``), renames (``tools.lsp_rename``).
See also: design §7, 06 §15.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, assert_never

from pydantic import Field

from pilotfish.codeintel.sources import Told
from pilotfish.codeintel.syntax import check_syntax
from pilotfish.config.trees import is_in_other_tree
from pilotfish.core.calls import Location, ToolKind
from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.code import CallDirection, LocateKind, Symbol
from pilotfish.ports.code import Location as CodePlace
from pilotfish.ports.diagnostics import Problem
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import (
    Survey,
    Tool,
    ToolArgs,
    ToolInputError,
    ToolResult,
    ToolSpec,
    text_result,
)
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.lsp_answers import (
    MAX_FOUND_SYMBOLS,
    calls_text,
    document_symbols_text,
    hover_text,
    loading_note,
    one_line,
    places_text,
    problems_text,
    workspace_symbols_text,
)
from pilotfish.tools.lsp_place import NamedSymbol, Place, find_place
from pilotfish.tools.lsp_rename import RenamePlan, run_rename, survey_rename
from pilotfish.tools.paths import absolute_path, project_path
from pilotfish.tools.read_checks import check_readable
from pilotfish.workspace.loaded_file import find_document

FoundT = TypeVar("FoundT", CodePlace, Symbol)

MAX_REASON_CHARS = 500
"""Longest reason why somebody cannot answer."""

MAX_RESULT_CHARS = 30_000
"""Longest answer before it is kept in a file and previewed."""

_Operation = Literal[
    "definition",
    "references",
    "hover",
    "document_symbols",
    "workspace_symbols",
    "implementation",
    "type_definition",
    "incoming_calls",
    "outgoing_calls",
    "diagnostics",
    "rename",
]

_LOCATE: dict[str, LocateKind] = {
    "definition": "definition",
    "references": "references",
    "implementation": "implementation",
    "type_definition": "type_definition",
}

_CALLS: dict[str, CallDirection] = {"incoming_calls": "incoming", "outgoing_calls": "outgoing"}

_WITHOUT_SYMBOL = frozenset({"document_symbols", "workspace_symbols", "diagnostics"})
_WITHOUT_FILE = frozenset({"workspace_symbols", "diagnostics"})


class LspArgs(ToolArgs):
    """Arguments of LSP."""

    operation: _Operation = Field(description="What to ask")
    file_path: str | None = Field(
        default=None, description="File that holds the symbol, absolute or relative"
    )
    line: int | None = Field(default=None, ge=1, description="Line of the symbol, from 1")
    symbol: str | None = Field(default=None, description="The symbol's text in that line")
    occurrence: int = Field(default=1, ge=1, description="Which one in the line, from 1")
    query: str | None = Field(default=None, description="For workspace_symbols: part of a name")
    new_name: str | None = Field(default=None, description="For rename: the new name")


class LspTool(Tool[LspArgs]):
    """Answers questions about code, and renames."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="LSP",
        description=load_description("lsp"),
        kind="search",
        max_result_chars=MAX_RESULT_CHARS,
    )
    args_type = LspArgs

    def title(self, args: LspArgs, ctx: ToolContext) -> str:
        """Return what is asked about what."""
        words = args.operation.replace("_", " ")
        about = args.symbol or args.query
        title = f"{words}: {about}" if about else words
        if args.file_path is None:
            return title
        path = project_path(absolute_path(args.file_path, ctx), ctx)
        place = f"{path}:{args.line}" if args.line else path
        return f"{title} in {place}"

    def kind(self, args: LspArgs) -> ToolKind:
        """Tell renames from questions."""
        return "edit" if args.operation == "rename" else "search"

    def is_concurrency_safe(self, args: LspArgs) -> bool:
        """Questions change nothing."""
        return args.operation != "rename"

    def locations(self, args: LspArgs, ctx: ToolContext) -> tuple[Location, ...]:
        """Return the place that is asked about."""
        if args.file_path is None:
            return ()
        return (Location(path=str(absolute_path(args.file_path, ctx)), line=args.line),)

    async def survey(self, args: LspArgs, ctx: ToolContext) -> Survey:
        """State what is read, and for a rename all that it changes.

        Raises:
            ToolInputError: An argument is missing, the file does not exist, the rename cannot be.
        """
        if args.operation != "rename":
            return Survey(effects=await self.effects(args, ctx))
        path = _file(args, ctx)
        _check_arguments(args)
        await _check_file(path, ctx)
        if await asyncio.to_thread(ctx.hidden_files, [path]):
            raise ToolInputError(f"A deny rule for Read hides {path}.")
        try:
            place = await find_place(path, _named(args), ctx)
            return await survey_rename(place, args.symbol or "", args.new_name or "", ctx)
        except WorkspaceError as error:
            raise ToolInputError(str(error)) from error

    async def effects(self, args: LspArgs, ctx: ToolContext) -> Effects:
        """State which file a question is about.

        Raises:
            ToolInputError: An argument is missing, or the file does not exist.
        """
        _check_arguments(args)
        if args.file_path is None:
            return Effects(reads=(ctx.cwd,), read_only=True)
        path = _file(args, ctx)
        await _check_file(path, ctx)
        return Effects(reads=(path,), read_only=True)

    async def run(self, args: LspArgs, ctx: CallContext) -> ToolResult:
        """Ask, or rename."""
        if isinstance(ctx.plan, RenamePlan):
            return await run_rename(ctx.plan, ctx)
        try:
            return await _answer(args, ctx.tools)
        except (WorkspaceError, ToolInputError) as error:
            return text_result(str(error), is_error=True)


async def _answer(args: LspArgs, ctx: ToolContext) -> ToolResult:
    match args.operation:
        case "definition" | "references" | "implementation" | "type_definition":
            return await _places(args, ctx)
        case "incoming_calls" | "outgoing_calls":
            return await _calls(args, ctx)
        case "hover":
            return await _hover(args, ctx)
        case "document_symbols":
            return await _outline(args, ctx)
        case "workspace_symbols":
            return await _symbols(args, ctx)
        case "diagnostics":
            return await _diagnostics(args, ctx)
        case "rename":
            raise ToolInputError("The rename was not prepared. Send the call again.")
        case _:
            assert_never(args.operation)


async def _places(args: LspArgs, ctx: ToolContext) -> ToolResult:
    place = await find_place(_file(args, ctx), _named(args), ctx)
    told = await ctx.code.locate(_LOCATE[args.operation], place.path, place.position)
    aside = await _aside(args, ctx, told)
    if told is None:
        return _nobody(args, aside)
    places = _in_this_tree(told.answer, ctx)
    text = await places_text(places, ctx, with_ignored=args.operation != "references")
    return _told(text or _nothing(args), told.source, place, aside)


async def _calls(args: LspArgs, ctx: ToolContext) -> ToolResult:
    place = await find_place(_file(args, ctx), _named(args), ctx)
    direction = _CALLS[args.operation]
    told = await ctx.code.calls(direction, place.path, place.position)
    aside = await _aside(args, ctx, told)
    if told is None:
        return _nobody(args, aside)
    text = await calls_text(told.answer, ctx, incoming=direction == "incoming")
    return _told(text or _nothing(args), told.source, place, aside)


async def _hover(args: LspArgs, ctx: ToolContext) -> ToolResult:
    place = await find_place(_file(args, ctx), _named(args), ctx)
    told = await ctx.code.hover(place.path, place.position)
    aside = await _aside(args, ctx, told)
    if told is None:
        return _nobody(args, aside)
    return _told(hover_text(told.answer) or _nothing(args), told.source, place, aside)


async def _outline(args: LspArgs, ctx: ToolContext) -> ToolResult:
    told = await ctx.code.document_symbols(_file(args, ctx))
    aside = await _aside(args, ctx, told)
    if told is None:
        return _nobody(args, aside)
    return _told(document_symbols_text(told.answer) or _nothing(args), told.source, None, aside)


async def _symbols(args: LspArgs, ctx: ToolContext) -> ToolResult:
    told = await ctx.code.workspace_symbols(args.query or "", MAX_FOUND_SYMBOLS)
    aside = await _aside(args, ctx, told)
    if told is None:
        return _nobody(args, aside)
    found = _in_this_tree(told.answer, ctx)
    more = len(told.answer) >= MAX_FOUND_SYMBOLS
    text = await workspace_symbols_text(found, ctx, more=more) or _nothing(args)
    return _told(text, told.source, None, aside)


async def _diagnostics(args: LspArgs, ctx: ToolContext) -> ToolResult:
    path = None if args.file_path is None else _file(args, ctx)
    told = await ctx.problems.problems(path)
    if told is None:
        return await _syntax_only(path, ctx)
    found = [(file, problem) for file, problems in told.problems.items() for problem in problems]
    text = await problems_text(found, ctx) or "No errors and no warnings."
    if not told.complete:
        text += "\n(There may be more: not everything is judged yet.)"
    return _told(text, told.source)


async def _syntax_only(path: Path | None, ctx: ToolContext) -> ToolResult:
    """Fall back to what parsing tells."""
    if path is None:
        return text_result(
            "Nobody here knows the project's diagnostics. Name a file for its syntax errors, or run "
            "the project's own checks with Bash.",
            is_error=True,
        )
    loaded = await ctx.edits.load(path)
    report = await check_syntax(path, loaded.text or "")
    if report is None or report.timed_out:
        return text_result(
            f"Nobody here knows the diagnostics of {path.name}. Run the project's own checks with "
            "Bash.",
            is_error=True,
        )
    found = [
        (path, Problem(severity="error", line=one.line, column=one.column, message=one.message,
                       source="syntax", code=""))
        for one in report.problems
    ]  # fmt: skip
    text = await problems_text(found, ctx)
    return _told(text or "It parses without errors; types were not checked.", "the syntax alone")


class _Aside(NamedTuple):
    """What has to be known of those who were asked; empty where all is well."""

    loading: str = ""
    """Who may know more in a while."""
    failures: str = ""
    """Who does not work, and why."""


_WELL = _Aside()


async def _aside(args: LspArgs, ctx: ToolContext, told: Told[Any] | None) -> _Aside:
    path = None if args.file_path is None else _file(args, ctx)
    loading = loading_note(await ctx.code.loading(path, told))
    failures = await ctx.code.failures(path, told)
    return _Aside(loading, "; ".join(one_line(why, MAX_REASON_CHARS) for why in failures))


def _in_this_tree(found: Sequence[FoundT], ctx: ToolContext) -> list[FoundT]:
    """Leave out what lies in other worktrees of the project: the same names again, in other files."""
    return [one for one in found if not is_in_other_tree(one.path, ctx.roots[0])]


def _told(text: str, source: str, place: Place | None = None, aside: _Aside = _WELL) -> ToolResult:
    notes = [f"From {source}.", *([place.note] if place is not None and place.note else [])]
    lines = [text, f"({' '.join(notes)})"]
    if aside.loading:
        lines.append(f"({aside.loading})")
    if aside.failures:
        lines.append(f"({aside.failures}. So this may be out of date or not all: check with Grep.)")
    return text_result("\n".join(lines))


def _nothing(args: LspArgs) -> str:
    about = args.symbol or args.query or args.file_path or ""
    return f"Nothing found: no {args.operation.replace('_', ' ')} of `{about}`."


def _nobody(args: LspArgs, aside: _Aside) -> ToolResult:
    words = args.operation.replace("_", " ")
    if aside.loading:
        text = f"Nobody here can tell the {words} yet. {aside.loading} Meanwhile use Grep."
    elif aside.failures:
        text = f"Nobody here can tell the {words}: {aside.failures}. Use Grep instead."
    else:
        text = (
            f"Nobody here can tell the {words}: no language server answers for this and the index "
            "does not know it. Use Grep instead."
        )
    return text_result(text, is_error=True)


def _check_arguments(args: LspArgs) -> None:
    missing: list[str] = []
    if args.operation not in _WITHOUT_FILE and not args.file_path:
        missing.append("file_path")
    if args.operation not in _WITHOUT_SYMBOL and not (args.symbol or "").strip():
        missing.append("symbol")
    if args.operation == "workspace_symbols" and not (args.query or "").strip():
        missing.append("query")
    if args.operation == "rename" and not args.new_name:
        missing.append("new_name")
    if missing:
        raise ToolInputError(f"The operation {args.operation} needs {' and '.join(missing)}.")


async def _check_file(path: Path, ctx: ToolContext) -> None:
    if find_document(ctx.editor, path) is None:
        await asyncio.to_thread(check_readable, path, ctx.cwd)


def _file(args: LspArgs, ctx: ToolContext) -> Path:
    if args.file_path is None:
        raise ToolInputError(f"The operation {args.operation} needs file_path.")
    return absolute_path(args.file_path, ctx)


def _named(args: LspArgs) -> NamedSymbol:
    return NamedSymbol(symbol=args.symbol or "", line=args.line, occurrence=args.occurrence)

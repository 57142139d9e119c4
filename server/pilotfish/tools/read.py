"""The Read tool.

Owns: text with line numbers, ranges, limits, repeats.
Does not own: pictures, documents and notebooks (``tools.read_kinds``), guards (``tools.read_checks``).
See also: design 06 §4.
"""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, NamedTuple

from pydantic import Field

from pilotfish.core.calls import Location
from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.editor import OpenDocument
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import (
    Tool,
    ToolArgs,
    ToolInputError,
    ToolResult,
    ToolSpec,
    text_result,
)
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.paths import absolute_path, project_path, short_path
from pilotfish.tools.read_checks import IMAGE_SUFFIXES, check_readable
from pilotfish.tools.read_kinds import MAX_CHARS, read_cells, read_document, read_picture
from pilotfish.util.line_diff import split_lines
from pilotfish.workspace.file_state import FileState
from pilotfish.workspace.loaded_file import (
    NOTEBOOK_SUFFIX,
    LoadedFile,
    find_document,
    is_stale,
)
from pilotfish.workspace.pdf import PageRange, parse_pages
from pilotfish.workspace.snippets import numbered_line
from pilotfish.workspace.text_file import TextFile, TooLargeError
from pilotfish.workspace.text_range import read_range

DEFAULT_LINES = 2_000
"""Lines that are shown when no limit is given."""

MAX_WHOLE_BYTES = 256 * 1024
"""Largest file that may be read without naming a range (design 06 §4)."""

MAX_LOADED_BYTES = 10 * 1024 * 1024
"""Largest file that is loaded whole to show a range of it; a larger one is streamed."""

PDF_SUFFIX = ".pdf"


class ReadArgs(ToolArgs):
    """Arguments of Read."""

    file_path: str = Field(
        description="Path of the file, absolute or relative to the current folder"
    )
    offset: int | None = Field(default=None, ge=1, description="First line to show, from 1")
    limit: int | None = Field(default=None, ge=1, description="How many lines to show")
    pages: str | None = Field(default=None, description='Pages of a PDF, for example "1-5"')


class _Shown(NamedTuple):
    """Lines to show, and what is known of the rest."""

    lines: list[str]
    first: int
    total: int | None
    """Lines of the whole file; None when it was not read to its end."""


class ReadTool(Tool[ReadArgs]):
    """Shows a file."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Read",
        description=load_description("read"),
        kind="read",
        concurrency_safe=True,
        max_result_chars=0,  # a result kept in a file would have to be read with this tool
    )
    args_type = ReadArgs

    def title(self, args: ReadArgs, ctx: ToolContext) -> str:
        """Return the path."""
        return project_path(absolute_path(args.file_path, ctx), ctx)

    async def effects(self, args: ReadArgs, ctx: ToolContext) -> Effects:
        """State which file is read.

        Raises:
            ToolInputError: There is no such file, or Read cannot show it.
        """
        path = absolute_path(args.file_path, ctx)
        _page_range(path, args)
        if path.suffix.lower() in {NOTEBOOK_SUFFIX, PDF_SUFFIX} and (args.offset or args.limit):
            raise ToolInputError(_no_lines(path))
        if find_document(ctx.editor, path) is None:
            await asyncio.to_thread(check_readable, path, ctx.cwd)
        return Effects(reads=(path,), read_only=True)

    def locations(self, args: ReadArgs, ctx: ToolContext) -> tuple[Location, ...]:
        """Return the file and the first line."""
        return (Location(path=str(absolute_path(args.file_path, ctx)), line=args.offset),)

    async def run(self, args: ReadArgs, ctx: CallContext) -> ToolResult:
        """Read it."""
        path = absolute_path(args.file_path, ctx.tools)
        try:
            return await self._read(path, args, ctx.tools)
        except FileNotFoundError:
            return text_result(f"{path} was deleted in the meantime.", is_error=True)
        except (WorkspaceError, OSError) as error:
            return text_result(str(error), is_error=True)

    async def _read(self, path: Path, args: ReadArgs, ctx: ToolContext) -> ToolResult:
        document = find_document(ctx.editor, path)
        suffix = path.suffix.lower()
        if suffix == NOTEBOOK_SUFFIX:
            return await read_cells(path, None, ctx)
        if document is None and suffix in IMAGE_SUFFIXES:
            return await read_picture(path)
        if document is None and suffix == PDF_SUFFIX:
            return await read_document(path, _page_range(path, args), ctx)
        return await self._read_text(path, document, args, ctx)

    async def _read_text(
        self, path: Path, document: OpenDocument | None, args: ReadArgs, ctx: ToolContext
    ) -> ToolResult:
        wants_all = args.offset is None and args.limit is None
        if document is not None:
            if wants_all and len(document.text) > MAX_WHOLE_BYTES:
                size = f"{len(document.text):,} characters"
                return text_result(_too_large(path, size), is_error=True)
            return self._show(await ctx.edits.load(path), args, ctx)
        most = MAX_WHOLE_BYTES if wants_all else MAX_LOADED_BYTES
        try:
            loaded = await ctx.edits.load(path, max_bytes=most)
        except TooLargeError as error:
            if wants_all:
                return text_result(_too_large(path, f"{error.size:,} bytes"), is_error=True)
            return await self._stream(path, args, ctx)
        return self._show(loaded, args, ctx)

    def _show(self, loaded: LoadedFile, args: ReadArgs, ctx: ToolContext) -> ToolResult:
        if loaded.text is None:
            return text_result(f"{loaded.path} was deleted in the meantime.", is_error=True)
        known = ctx.files.get(loaded.real_path)
        if known is not None and _is_repeat(known, args, ctx) and not is_stale(known, loaded):
            ctx.files.read_again(loaded.real_path)
            return text_result(_unchanged(loaded.path, ctx))
        lines = split_lines(loaded.text)
        first = args.offset or 1
        shown = lines[first - 1 : first - 1 + (args.limit or DEFAULT_LINES)]
        text = _render(_Shown(shown, first, len(lines)), loaded.path, args)
        if len(text) > MAX_CHARS:
            return text_result(_too_large(loaded.path, f"{len(text):,} characters"), is_error=True)
        state = loaded.state("read", full=len(shown) == len(lines))
        ctx.files.record(loaded.real_path, replace(state, offset=args.offset, limit=args.limit))
        if loaded.document is None and loaded.disk is not None:
            text += _encoding_note(loaded.disk)
        if loaded.is_unsaved:
            text += "\n(This is the text in the user's editor, with changes not saved to disk.)"
        return text_result(text)

    async def _stream(self, path: Path, args: ReadArgs, ctx: ToolContext) -> ToolResult:
        real_path = await asyncio.to_thread(path.resolve)
        info = await asyncio.to_thread(path.stat)
        known = ctx.files.get(real_path)
        same_time = known is not None and known.mtime_ns == info.st_mtime_ns
        if known is not None and same_time and _is_repeat(known, args, ctx):
            ctx.files.read_again(real_path)
            return text_result(_unchanged(path, ctx))
        first = args.offset or 1
        part = await asyncio.to_thread(read_range, path, first, args.limit or DEFAULT_LINES)
        total = None if part.has_more else part.lines_seen
        text = _render(_Shown(list(part.lines), first, total), path, args)
        if len(text) > MAX_CHARS:
            return text_result(_too_large(path, f"{len(text):,} characters"), is_error=True)
        state = FileState(
            origin="read",
            full=False,
            content_hash=None,
            mtime_ns=part.mtime_ns,
            offset=args.offset,
            limit=args.limit,
        )
        ctx.files.record(real_path, state)
        return text_result(text)


def _is_repeat(known: FileState, args: ReadArgs, ctx: ToolContext) -> bool:
    same_range = (known.offset, known.limit) == (args.offset, args.limit)
    return ctx.dedup_reads and known.origin == "read" and not known.partial_view and same_range


def _unchanged(path: Path, ctx: ToolContext) -> str:
    return (
        f"{short_path(path, ctx)} has not changed since you read this part of it; "
        "the earlier result still holds."
    )


def _render(shown: _Shown, path: Path, args: ReadArgs) -> str:
    if shown.total == 0:
        return f"({path} exists and is empty.)"
    if not shown.lines:
        return f"({path} has {shown.total} lines; line {shown.first} is past its end.)"
    rows = [numbered_line(shown.first + at, line) for at, line in enumerate(shown.lines)]
    last = shown.first + len(rows) - 1
    if shown.first == 1 and last == shown.total:
        return "\n".join(rows)
    total = "more follow" if shown.total is None else f"{shown.total} in all"
    note = f"(Lines {shown.first} to {last} shown, {total}."
    if last != shown.total and args.limit is None:
        note += f" Read on with offset {last + 1}."
    return "\n".join([*rows, note + ")"])


def _too_large(path: Path, size: str) -> str:
    return (
        f"{path} is too large to show at once ({size}). Use offset and limit for a part of it, "
        "or Grep to find the place."
    )


def _page_range(path: Path, args: ReadArgs) -> PageRange | None:
    if args.pages is None:
        return None
    if path.suffix.lower() != PDF_SUFFIX:
        raise ToolInputError(f"pages is for PDF documents only; {path} is none. Leave it out.")
    try:
        return parse_pages(args.pages)
    except WorkspaceError as error:
        raise ToolInputError(str(error)) from error


def _no_lines(path: Path) -> str:
    if path.suffix.lower() == PDF_SUFFIX:
        return f"{path} is a PDF and has no lines. Name pages instead of offset and limit."
    return (
        f"{path} is a notebook and has no lines. Leave offset and limit out, or use NotebookRead "
        "with a cell_id."
    )


def _encoding_note(disk: TextFile) -> str:
    """Say which legacy encoding was taken; nothing for the Unicode ones."""
    if disk.encoding.startswith("utf"):
        return ""
    if not disk.rivals:
        return f"\n(The file is in the legacy encoding {disk.encoding}, and edits keep it so.)"
    return (
        f"\n(The file is in a legacy encoding, taken for {disk.encoding}; it may as well be "
        f"{' or '.join(disk.rivals)}, so letters beyond English ones may be shown wrongly.)"
    )

"""The Read tool.

Owns: text with line numbers, ranges, limits, repeats; images as they are.
See also: design 06 §4, ``tools.read_checks``.
"""

import asyncio
import base64
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, NamedTuple

from pydantic import Field

from pilotfish.core.calls import Location
from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.core.messages import ImageBlock
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.paths import absolute_path, project_path, short_path
from pilotfish.tools.read_checks import IMAGE_SUFFIXES, check_readable
from pilotfish.util.image_type import image_type
from pilotfish.util.line_diff import split_lines
from pilotfish.workspace.file_state import FileState
from pilotfish.workspace.loaded_file import LoadedFile, find_document, is_stale
from pilotfish.workspace.snippets import numbered_line
from pilotfish.workspace.text_file import read_bytes
from pilotfish.workspace.text_range import read_range

DEFAULT_LINES = 2_000
"""Lines that are shown when no limit is given."""

MAX_WHOLE_BYTES = 256 * 1024
"""Largest file that may be read without naming a range (design 06 §4)."""

MAX_CHARS = 100_000
"""Longest result: about 25,000 tokens at four characters each."""

MAX_LOADED_BYTES = 10 * 1024 * 1024
"""Largest file that is loaded whole to show a range of it; a larger one is streamed."""

MAX_IMAGE_BYTES = 5 * 1024 * 1024
"""Largest image that models take."""


class ReadArgs(ToolArgs):
    """Arguments of Read."""

    file_path: str = Field(
        description="Path of the file, absolute or relative to the current folder"
    )
    offset: int | None = Field(default=None, ge=1, description="First line to show, from 1")
    limit: int | None = Field(default=None, ge=1, description="How many lines to show")


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
        max_result_chars=0,  # a result kept in a file would have to be read with this tool
    )
    args_type = ReadArgs

    def title(self, args: ReadArgs, ctx: ToolContext) -> str:
        """Return the path."""
        return project_path(absolute_path(args.file_path, ctx), ctx)

    def is_concurrency_safe(self, args: ReadArgs) -> bool:  # noqa: ARG002
        """Reading changes nothing."""
        return True

    async def effects(self, args: ReadArgs, ctx: ToolContext) -> Effects:
        """State which file is read.

        Raises:
            ToolInputError: There is no such file, or Read cannot show it.
        """
        path = absolute_path(args.file_path, ctx)
        if find_document(ctx.editor, path) is None:
            await asyncio.to_thread(check_readable, path, ctx.cwd)
        return Effects(reads=(path,), read_only=True)

    def locations(self, args: ReadArgs, ctx: ToolContext) -> tuple[Location, ...]:
        """Return the file and the first line."""
        return (Location(path=str(absolute_path(args.file_path, ctx)), line=args.offset),)

    async def run(self, args: ReadArgs, ctx: CallContext) -> ToolResult:
        """Read it."""
        path = absolute_path(args.file_path, ctx.tools)
        document = find_document(ctx.tools.editor, path)
        try:
            if document is None and path.suffix.lower() in IMAGE_SUFFIXES:
                return await asyncio.to_thread(_image, path)
            size = (
                len(document.text)
                if document is not None
                else (await asyncio.to_thread(path.stat)).st_size
            )
            if size > MAX_WHOLE_BYTES and args.offset is None and args.limit is None:
                return text_result(_too_large(path, f"{size:,} bytes"), is_error=True)
            if document is None and size > MAX_LOADED_BYTES:
                return await self._stream(path, args, ctx.tools)
            loaded = await ctx.tools.edits.load(path)
        except FileNotFoundError:
            return text_result(f"{path} was deleted in the meantime.", is_error=True)
        except (WorkspaceError, OSError) as error:
            return text_result(str(error), is_error=True)
        return self._show(loaded, args, ctx.tools)

    def _show(self, loaded: LoadedFile, args: ReadArgs, ctx: ToolContext) -> ToolResult:
        if loaded.text is None:
            return text_result(f"{loaded.path} was deleted in the meantime.", is_error=True)
        known = ctx.files.get(loaded.real_path)
        if known is not None and _is_repeat(known, args) and not is_stale(known, loaded):
            return text_result(_unchanged(loaded.path, ctx))
        lines = split_lines(loaded.text)
        first = args.offset or 1
        shown = lines[first - 1 : first - 1 + (args.limit or DEFAULT_LINES)]
        text = _render(_Shown(shown, first, len(lines)), loaded.path, args)
        if len(text) > MAX_CHARS:
            return text_result(_too_large(loaded.path, f"{len(text):,} characters"), is_error=True)
        state = loaded.state("read", full=len(shown) == len(lines))
        ctx.files.record(loaded.real_path, replace(state, offset=args.offset, limit=args.limit))
        if loaded.is_unsaved:
            text += "\n(This is the text in the user's editor, with changes not saved to disk.)"
        return text_result(text)

    async def _stream(self, path: Path, args: ReadArgs, ctx: ToolContext) -> ToolResult:
        real_path = await asyncio.to_thread(path.resolve)
        info = await asyncio.to_thread(path.stat)
        known = ctx.files.get(real_path)
        if known is not None and _is_repeat(known, args) and known.mtime_ns == info.st_mtime_ns:
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


def _is_repeat(known: FileState, args: ReadArgs) -> bool:
    same_range = (known.offset, known.limit) == (args.offset, args.limit)
    return known.origin == "read" and not known.partial_view and same_range


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


def _image(path: Path) -> ToolResult:
    size = path.stat().st_size
    if size > MAX_IMAGE_BYTES:
        return text_result(
            f"{path} is an image of {size:,} bytes; {MAX_IMAGE_BYTES:,} is the limit. Make a "
            "smaller copy with Bash and read that.",
            is_error=True,
        )
    data, _ = read_bytes(path)
    media_type = image_type(data)
    if media_type is None:
        return text_result(
            f"{path} is named like an image but holds none that can be shown.", is_error=True
        )
    block = ImageBlock(media_type=media_type, data=base64.b64encode(data).decode("ascii"))
    return ToolResult(content=(block,))

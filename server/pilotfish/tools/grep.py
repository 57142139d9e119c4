"""The Grep tool.

Owns: its arguments, paging and the form of results. Does not own: the search
(``workspace.search``). See also: design 06 §9.3.
"""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.glob import newest_first
from pilotfish.tools.paths import absolute_path, project_path, short_path
from pilotfish.tools.search_checks import check_exists, hidden_note, shown_matches
from pilotfish.util.count_of import count_of
from pilotfish.workspace.search import GrepMode, GrepQuery, GrepResult
from pilotfish.workspace.search_output import Hits

DEFAULT_HEAD_LIMIT = 250
"""Lines or files in a result when no limit is named: 12,000 to 25,000 tokens (design 06 §9.3)."""

MAX_RESULT_CHARS = 20_000
"""Longest result before it is kept in a file and previewed (design 06 §3)."""

MAX_CONTEXT_LINES = 1_000
"""Most lines of context on each side of a match."""

_GAP = "--"
"""Stands where lines were left out, as in ripgrep's own output."""

_OutputMode = Literal["files_with_matches", "content", "count"]

_MODES: dict[_OutputMode, GrepMode] = {
    "files_with_matches": "files",
    "content": "content",
    "count": "count",
}


class GrepArgs(ToolArgs):
    """Arguments of Grep. The short names are those of the shell command."""

    pattern: str = Field(min_length=1, description="Regular expression to search for")
    path: str | None = Field(
        default=None, description="File or folder; the current folder if left out"
    )
    glob: str | None = Field(default=None, description="Only files whose path matches this glob")
    type: str | None = Field(default=None, description="Only files of this type (rg --type)")
    output_mode: _OutputMode = Field(default="files_with_matches", description="What to return")
    after: int | None = Field(
        default=None, alias="-A", ge=0, le=MAX_CONTEXT_LINES, description="Lines after a match"
    )
    before: int | None = Field(
        default=None, alias="-B", ge=0, le=MAX_CONTEXT_LINES, description="Lines before a match"
    )
    around: int | None = Field(
        default=None, alias="-C", ge=0, le=MAX_CONTEXT_LINES, description="Lines around a match"
    )
    numbers: bool = Field(default=True, alias="-n", description="Show line numbers")
    ignore_case: bool = Field(default=False, alias="-i", description="Ignore case")
    multiline: bool = Field(default=False, description="Let the pattern span lines")
    head_limit: int = Field(
        default=DEFAULT_HEAD_LIMIT, ge=0, description="Most lines or files; 0 means no limit"
    )
    offset: int = Field(default=0, ge=0, description="Lines or files to leave out at the start")


class GrepTool(Tool[GrepArgs]):
    """Searches in files."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Grep",
        description=load_description("grep"),
        kind="search",
        concurrency_safe=True,
        max_result_chars=MAX_RESULT_CHARS,
    )
    args_type = GrepArgs

    def title(self, args: GrepArgs, ctx: ToolContext) -> str:
        """Return the pattern, and where when a place was given."""
        if args.path is None:
            return args.pattern
        return f"{args.pattern} in {project_path(_path(args, ctx), ctx)}"

    async def effects(self, args: GrepArgs, ctx: ToolContext) -> Effects:
        """State what is read.

        Raises:
            ToolInputError: There is no such file or folder.
        """
        path = _path(args, ctx)
        await asyncio.to_thread(check_exists, path, ctx.cwd)
        return Effects(reads=(path,), read_only=True)

    async def run(self, args: GrepArgs, ctx: CallContext) -> ToolResult:
        """Search."""
        query = GrepQuery(
            pattern=args.pattern,
            path=_path(args, ctx.tools),
            mode=_MODES[args.output_mode],
            glob=args.glob,
            file_type=args.type,
            ignore_case=args.ignore_case,
            multiline=args.multiline,
            before=args.before if args.before is not None else args.around or 0,
            after=args.after if args.after is not None else args.around or 0,
        )
        try:
            found = await ctx.tools.search.grep(query)
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        return text_result(await asyncio.to_thread(_text, found, args, ctx.tools))


def _path(args: GrepArgs, ctx: ToolContext) -> Path:
    return absolute_path(args.path, ctx) if args.path else ctx.cwd


def _text(found: GrepResult, args: GrepArgs, ctx: ToolContext) -> str:
    """Return the page that was asked for. Blocking."""
    shown, hidden = shown_matches(found, ctx)
    notes = [note for note in (shown.cut.note(), hidden_note(hidden)) if note]
    page = _page(shown, args, ctx)
    return "\n".join([*page, *([f"({' '.join(notes)})"] if notes else [])])


def _page(found: GrepResult, args: GrepArgs, ctx: ToolContext) -> list[str]:
    """Return the lines of the page, and what tells of those beside it."""
    lines, total, told = _lines(found, args, ctx)
    if not total:
        return [f"No matches for {args.pattern}."]
    end = args.offset + args.head_limit if args.head_limit else total
    page = list(islice(lines, min(args.offset, total), min(end, total)))
    head = [told] if told else []
    if not page:
        return [*head, f"(offset {args.offset} is past the end: there are {total}.)"]
    if not args.offset and end >= total:
        return [*head, *page]
    more = f" Continue with offset {end}.)" if end < total else ")"
    last = args.offset + len(page)
    return [*head, *page, f"(Results {args.offset + 1} to {last} of {total}.{more}"]


def _lines(found: GrepResult, args: GrepArgs, ctx: ToolContext) -> tuple[Iterable[str], int, str]:
    """Return the lines of the result, how many they are, and a sentence on their number."""
    if args.output_mode == "content":
        return _hit_lines(found.hits, args, ctx), len(found.hits) + found.hits.gaps, ""
    if args.output_mode == "count":
        matches = sum(count for _, count in found.counts)
        lines = (f"{short_path(path, ctx)}:{count}" for path, count in found.counts)
        told = f"{count_of(matches, 'matching line')} in {count_of(len(found.counts), 'file')}"
        return lines, len(found.counts), told
    files = newest_first(found.files)
    return (short_path(path, ctx) for path in files), len(files), count_of(len(files), "file")


def _hit_lines(hits: Hits, args: GrepArgs, ctx: ToolContext) -> Iterator[str]:
    for path, of_file in groupby(hits, key=lambda hit: hit.path):
        name = short_path(path, ctx)
        for hit in of_file:
            mark = ":" if hit.is_match else "-"
            number = f"{hit.line}{mark}" if args.numbers else ""
            if hit.starts_group:
                yield _GAP
            yield f"{name}{mark}{number}{hit.text}"

"""The Glob tool.

Owns: patterns, order and limit. Does not own: the search (``workspace.search``).
See also: design 06 §9.2.
"""

import asyncio
import re
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.paths import absolute_path, project_path, short_path
from pilotfish.tools.search_checks import check_folder, hidden_note, shown_files
from pilotfish.workspace.search import FileQuery

MAX_FILES = 100
"""Most files in one result (design 06 §9.2)."""


class GlobArgs(ToolArgs):
    """Arguments of Glob."""

    pattern: str = Field(min_length=1, description="Glob that the files' paths match")
    path: str | None = Field(
        default=None, description="Folder to search in; the current folder if left out"
    )


class GlobTool(Tool[GlobArgs]):
    """Finds files by name."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Glob",
        description=load_description("glob"),
        kind="search",
        concurrency_safe=True,
    )
    args_type = GlobArgs

    def title(self, args: GlobArgs, ctx: ToolContext) -> str:
        """Return the pattern, and the folder when one was given."""
        folder, pattern = _where(args, ctx)
        return pattern if folder == ctx.cwd else f"{pattern} in {project_path(folder, ctx)}"

    async def effects(self, args: GlobArgs, ctx: ToolContext) -> Effects:
        """State which folder is read.

        Raises:
            ToolInputError: There is no such folder.
        """
        folder, pattern = _where(args, ctx)
        if ".." in Path(pattern).parts:
            raise ToolInputError("The pattern must not hold `..`; give the folder in path instead.")
        await asyncio.to_thread(check_folder, folder, ctx.cwd)
        return Effects(reads=(folder,), read_only=True)

    async def run(self, args: GlobArgs, ctx: CallContext) -> ToolResult:
        """List the files."""
        folder, pattern = _where(args, ctx.tools)
        try:
            found = await ctx.tools.search.files(FileQuery(folder=folder, glob=pattern))
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        found, hidden = await asyncio.to_thread(shown_files, found, ctx.tools)
        ordered = await asyncio.to_thread(newest_first, found.files)
        lines = [short_path(path, ctx.tools) for path in ordered[:MAX_FILES]]
        if not lines:
            lines = [f"No files match {pattern} in {folder}."]
        if len(ordered) > MAX_FILES:
            lines.append(
                f"(The {MAX_FILES} files changed last of {len(ordered)}. Be more specific to see "
                "others.)"
            )
        lines += [f"({note})" for note in (found.cut.note(), hidden_note(hidden)) if note]
        return text_result("\n".join(lines))


def newest_first(paths: Iterable[Path]) -> list[Path]:
    """Sort files by the time of their last change, the latest first. Blocking."""
    return [path for _, path in sorted((-_mtime_ns(path), path) for path in paths)]


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0  # gone in the meantime, or a broken link


def _where(args: GlobArgs, ctx: ToolContext) -> tuple[Path, str]:
    """Return the folder to search and the pattern below it; patterns may begin with a folder."""
    folder = absolute_path(args.path, ctx) if args.path else ctx.cwd
    pattern = args.pattern.removeprefix("./")
    if not pattern.startswith(("/", "~")):
        return folder, pattern
    # The part before the first special character names a folder.
    special = re.search(r"[*?\[{\\]", pattern)
    plain = pattern if special is None else pattern[: special.start()]
    base, _, _ = plain.rpartition("/")
    return absolute_path(base or "/", ctx), pattern[len(base) + 1 :]

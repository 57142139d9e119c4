"""The NotebookRead tool.

Owns: its arguments. Does not own: what is shown of a notebook (``tools.read_kinds``).
See also: design 06 §8.
"""

import asyncio
from typing import ClassVar

from pydantic import Field

from pilotfish.core.calls import Location
from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.paths import absolute_path, project_path
from pilotfish.tools.read_checks import check_readable
from pilotfish.tools.read_kinds import read_cells
from pilotfish.workspace.loaded_file import NOTEBOOK_SUFFIX, find_document


class NotebookReadArgs(ToolArgs):
    """Arguments of NotebookRead."""

    notebook_path: str = Field(
        description="Path of the notebook, absolute or relative to the current folder"
    )
    cell_id: str | None = Field(
        default=None, description="The cell to show; all of them if left out"
    )


class NotebookReadTool(Tool[NotebookReadArgs]):
    """Shows the cells of a notebook."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="NotebookRead",
        description=load_description("notebook_read"),
        kind="read",
        concurrency_safe=True,
        deferred=True,
        search_hint="jupyter ipynb cells and their outputs",
        max_result_chars=0,  # a result kept in a file would have to be read with this tool
    )
    args_type = NotebookReadArgs

    def title(self, args: NotebookReadArgs, ctx: ToolContext) -> str:
        """Return the path, and the cell when one was named."""
        path = project_path(absolute_path(args.notebook_path, ctx), ctx)
        return path if args.cell_id is None else f"{path} cell {args.cell_id}"

    async def effects(self, args: NotebookReadArgs, ctx: ToolContext) -> Effects:
        """State which file is read.

        Raises:
            ToolInputError: There is no such notebook.
        """
        path = absolute_path(args.notebook_path, ctx)
        if path.suffix.lower() != NOTEBOOK_SUFFIX:
            raise ToolInputError(f"{path} is no Jupyter notebook ({NOTEBOOK_SUFFIX}). Use Read.")
        if find_document(ctx.editor, path) is None:
            await asyncio.to_thread(check_readable, path, ctx.cwd)
        return Effects(reads=(path,), read_only=True)

    def locations(self, args: NotebookReadArgs, ctx: ToolContext) -> tuple[Location, ...]:
        """Return the file."""
        return (Location(path=str(absolute_path(args.notebook_path, ctx))),)

    async def run(self, args: NotebookReadArgs, ctx: CallContext) -> ToolResult:
        """Read it."""
        path = absolute_path(args.notebook_path, ctx.tools)
        try:
            return await read_cells(path, args.cell_id, ctx.tools)
        except (WorkspaceError, OSError) as error:
            return text_result(str(error), is_error=True)

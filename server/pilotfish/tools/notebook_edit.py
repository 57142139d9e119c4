"""The NotebookEdit tool.

Owns: its arguments and result texts. Does not own: the edit (``workspace.notebook``).
See also: design 06 §8, ``tools.file_change``.
"""

import asyncio
from typing import ClassVar

from pydantic import Field

from pilotfish.core.calls import DiffDisplay
from pilotfish.core.messages import TextBlock
from pilotfish.ports.editor import CellKind
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.spec import ToolArgs, ToolInputError, ToolResult, ToolSpec
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.edit_results import check_on_disk
from pilotfish.tools.file_change import FileChangeTool
from pilotfish.tools.paths import absolute_path, project_path, short_path
from pilotfish.workspace.edit_pipeline import AppliedEdit
from pilotfish.workspace.loaded_file import NOTEBOOK_SUFFIX, find_document
from pilotfish.workspace.notebook import CellEdit, EditMode, parse_notebook


class NotebookEditArgs(ToolArgs):
    """Arguments of NotebookEdit."""

    notebook_path: str = Field(
        description="Path of the notebook, absolute or relative to the current folder"
    )
    cell_id: str | None = Field(
        default=None,
        description="The cell to change; for an insertion the cell before the new one, "
        "or nothing for the start",
    )
    new_source: str = Field(default="", description="The cell's new text")
    cell_type: CellKind | None = Field(
        default=None, description="Type of the cell; required for an insertion"
    )
    edit_mode: EditMode = Field(default="replace", description="What to do with the cell")


class NotebookEditTool(FileChangeTool[NotebookEditArgs]):
    """Changes a cell of a notebook."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="NotebookEdit", description=load_description("notebook_edit"), kind="edit"
    )
    args_type = NotebookEditArgs
    path_field = "notebook_path"

    def title(self, args: NotebookEditArgs, ctx: ToolContext) -> str:
        """Return the path, and the cell when one was named."""
        path = project_path(absolute_path(args.notebook_path, ctx), ctx)
        return path if args.cell_id is None else f"{path} cell {args.cell_id}"

    def change(self, args: NotebookEditArgs) -> CellEdit:
        """Return the change of the cell."""
        return CellEdit(
            cell_id=args.cell_id,
            source=args.new_source,
            kind=args.cell_type,
            mode=args.edit_mode,
        )

    async def check(self, args: NotebookEditArgs, ctx: ToolContext) -> None:
        """Make sure that the arguments fit each other and name a notebook."""
        path = absolute_path(args.notebook_path, ctx)
        if path.suffix.lower() != NOTEBOOK_SUFFIX:
            raise ToolInputError(f"{path} is no Jupyter notebook ({NOTEBOOK_SUFFIX}). Use Edit.")
        if args.edit_mode == "insert" and args.cell_type is None:
            raise ToolInputError("A new cell needs a cell_type: code, markdown or raw.")
        if args.edit_mode != "insert" and args.cell_id is None:
            raise ToolInputError(
                f"{args.edit_mode} needs the cell_id of the cell. NotebookRead shows the ids."
            )
        if find_document(ctx.editor, path) is None:
            await asyncio.to_thread(check_on_disk, path, ctx.cwd, must_exist=True)

    async def result(
        self, args: NotebookEditArgs, ctx: ToolContext, applied: AppliedEdit
    ) -> ToolResult:
        """Tell which cell was changed; a new one with its id."""
        text = await asyncio.to_thread(_told, args, applied)
        parts = [f"{short_path(applied.path, ctx)} updated: {text}.", *applied.notes]
        display = DiffDisplay(
            path=str(applied.path), old_text=applied.old_text, new_text=applied.new_text
        )
        return ToolResult(content=(TextBlock(text="\n".join(parts)),), display=(display,))


def _told(args: NotebookEditArgs, applied: AppliedEdit) -> str:
    if args.edit_mode == "delete":
        return f"cell {args.cell_id} deleted"
    if args.edit_mode == "replace":
        return f"cell {args.cell_id} replaced"
    name = applied.path.name
    ids = [cell.id for cell in parse_notebook(applied.new_text, name).cells]
    at = 0 if args.cell_id is None or args.cell_id not in ids else ids.index(args.cell_id) + 1
    where = "at the start" if args.cell_id is None else f"after cell {args.cell_id}"
    return f"cell {ids[at]} inserted {where}"

"""The Edit tool.

Owns: its arguments and result texts. Does not own: the edit itself (``workspace.edit_pipeline``).
See also: design 06 §5.1.
"""

from typing import ClassVar

from pydantic import Field

from pilotfish.core.calls import Location
from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import FilePreview
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.edit_results import check_editable, edit_result, origin_of, places_of
from pilotfish.tools.paths import absolute_path, project_path
from pilotfish.workspace.matching import StringEdit


class EditArgs(ToolArgs):
    """Arguments of Edit."""

    file_path: str = Field(
        description="Path of the file, absolute or relative to the current folder"
    )
    old_string: str = Field(description="The text to replace, exactly as it is in the file")
    new_string: str = Field(description="The text that takes its place")
    replace_all: bool = Field(default=False, description="Replace every occurrence, not just one")


class EditTool(Tool[EditArgs]):
    """Replaces text in a file."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Edit", description=load_description("edit"), kind="edit"
    )
    args_type = EditArgs

    def title(self, args: EditArgs, ctx: ToolContext) -> str:
        """Return the path."""
        return project_path(absolute_path(args.file_path, ctx), ctx)

    async def effects(self, args: EditArgs, ctx: ToolContext) -> Effects:
        """State which file is changed. Whether the edit fits is found out by ``preview``.

        Raises:
            ToolInputError: The edit cannot work.
        """
        path = absolute_path(args.file_path, ctx)
        if args.old_string == args.new_string:
            raise ToolInputError(
                "old_string and new_string are the same, so nothing would change. Send the text "
                "as it shall be in new_string."
            )
        await check_editable(path, ctx, must_exist=args.old_string != "")
        return Effects(reads=(path,), writes=await places_of(path))

    async def preview(self, args: EditArgs, ctx: ToolContext) -> FilePreview:
        """Return exactly what would change.

        Raises:
            ToolInputError: Not read yet, changed since, or no unique match.
        """
        path = absolute_path(args.file_path, ctx)
        try:
            return (await ctx.edits.preview(path, _change(args), ctx.files)).preview
        except WorkspaceError as error:
            raise ToolInputError(str(error)) from error

    def locations(self, args: EditArgs, ctx: ToolContext) -> tuple[Location, ...]:
        """Return the file."""
        return (Location(path=str(absolute_path(args.file_path, ctx))),)

    def input_for_text(self, args: EditArgs, preview: FilePreview, text: str) -> JsonObject:
        """Return an edit that replaces the whole text by what the user made of it."""
        return {
            "file_path": args.file_path,
            "old_string": preview.old_text or "",
            "new_string": text,
        }

    async def run(self, args: EditArgs, ctx: CallContext) -> ToolResult:
        """Make the edit."""
        try:
            path = absolute_path(args.file_path, ctx.tools)
            applied = await ctx.tools.edits.apply(
                path,
                _change(args),
                files=ctx.tools.files,
                origin=origin_of(ctx),
                agreed=ctx.agreed,
            )
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        return edit_result(applied, ctx.tools)


def _change(args: EditArgs) -> StringEdit:
    return StringEdit(old=args.old_string, new=args.new_string, replace_all=args.replace_all)

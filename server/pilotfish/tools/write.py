"""The Write tool.

Owns: its arguments and result texts. Does not own: the write itself (``workspace.edit_pipeline``).
See also: design 06 §5.4.
"""

import asyncio
import json
from typing import Any, ClassVar

from pydantic import Field, field_validator

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
from pilotfish.workspace.lookalikes import twins
from pilotfish.workspace.proposal import WholeText


class WriteArgs(ToolArgs):
    """Arguments of Write."""

    file_path: str = Field(
        description="Path of the file, absolute or relative to the current folder"
    )
    content: str = Field(description="The whole text of the file")

    @field_validator("content", mode="before")
    @classmethod
    def _text_of(cls, value: Any) -> Any:
        """Models that are to write a JSON file sometimes send the object itself."""
        if isinstance(value, dict | list):
            return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
        return value


class WriteTool(Tool[WriteArgs]):
    """Writes a whole file."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Write", description=load_description("write"), kind="edit"
    )
    args_type = WriteArgs

    def title(self, args: WriteArgs, ctx: ToolContext) -> str:
        """Return the path."""
        return project_path(absolute_path(args.file_path, ctx), ctx)

    async def effects(self, args: WriteArgs, ctx: ToolContext) -> Effects:
        """State which file is written. Whether it may be is found out by ``preview``.

        Raises:
            ToolInputError: The write cannot work.
        """
        path = absolute_path(args.file_path, ctx)
        await check_editable(path, ctx, must_exist=False)
        return Effects(reads=(path,), writes=await places_of(path))

    async def preview(self, args: WriteArgs, ctx: ToolContext) -> FilePreview:
        """Return exactly what would change.

        Raises:
            ToolInputError: The file exists and was not read, or changed since.
        """
        path = absolute_path(args.file_path, ctx)
        try:
            proposal = await ctx.edits.preview(path, WholeText(text=args.content), ctx.files)
        except WorkspaceError as error:
            raise ToolInputError(str(error)) from error
        return proposal.preview

    def locations(self, args: WriteArgs, ctx: ToolContext) -> tuple[Location, ...]:
        """Return the file."""
        return (Location(path=str(absolute_path(args.file_path, ctx))),)

    def input_for_text(self, args: WriteArgs, preview: FilePreview, text: str) -> JsonObject:  # noqa: ARG002
        """Return the write of what the user made of the text."""
        return {"file_path": args.file_path, "content": text}

    async def run(self, args: WriteArgs, ctx: CallContext) -> ToolResult:
        """Write it."""
        try:
            path = absolute_path(args.file_path, ctx.tools)
            applied = await ctx.tools.edits.apply(
                path,
                WholeText(text=args.content),
                files=ctx.tools.files,
                origin=origin_of(ctx),
                agreed=ctx.agreed,
            )
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        notes: list[str] = []
        if applied.old_text is None:
            others = await asyncio.to_thread(twins, path)
            notes = [f"Beside it there is {each}, whose name looks the same." for each in others]
        return edit_result(applied, ctx.tools, *notes)

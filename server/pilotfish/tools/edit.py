"""The Edit tool.

Owns: its arguments. Does not own: the edit itself (``workspace.edit_pipeline``).
See also: design 06 §5.1, ``tools.file_change``.
"""

from typing import ClassVar

from pydantic import Field

from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import FilePreview
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.spec import ToolArgs, ToolInputError, ToolSpec
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.edit_results import check_editable
from pilotfish.tools.file_change import FileChangeTool
from pilotfish.tools.paths import absolute_path
from pilotfish.workspace.matching import StringEdit


class EditArgs(ToolArgs):
    """Arguments of Edit."""

    file_path: str = Field(
        description="Path of the file, absolute or relative to the current folder"
    )
    old_string: str = Field(description="The text to replace, exactly as it is in the file")
    new_string: str = Field(description="The text that takes its place")
    replace_all: bool = Field(default=False, description="Replace every occurrence, not just one")


class EditTool(FileChangeTool[EditArgs]):
    """Replaces text in a file."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Edit", description=load_description("edit"), kind="edit"
    )
    args_type = EditArgs

    def change(self, args: EditArgs) -> StringEdit:
        """Return the replacement."""
        return StringEdit(old=args.old_string, new=args.new_string, replace_all=args.replace_all)

    async def check(self, args: EditArgs, ctx: ToolContext) -> None:
        """Make sure that something would change, in a file that can be edited."""
        path = absolute_path(args.file_path, ctx)
        if args.old_string == args.new_string:
            raise ToolInputError(
                "old_string and new_string are the same, so nothing would change. Send the text "
                "as it shall be in new_string."
            )
        await check_editable(path, ctx, must_exist=args.old_string != "")

    def input_for_text(self, args: EditArgs, preview: FilePreview, text: str) -> JsonObject:
        """Return an edit that replaces the whole text by what the user made of it."""
        return {
            "file_path": args.file_path,
            "old_string": preview.old_text or "",
            "new_string": text,
        }

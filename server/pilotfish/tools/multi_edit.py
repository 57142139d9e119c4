"""The MultiEdit tool.

Owns: its arguments. Does not own: the edits themselves (``workspace.several_edits``).
See also: design 06 §5.3, ``tools.file_change``.
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
from pilotfish.workspace.several_edits import SeveralEdits

MAX_EDITS = 200
"""Most edits of one call."""


class SingleEdit(ToolArgs):
    """One of the edits."""

    old_string: str = Field(description="The text to replace, exactly as it is by then")
    new_string: str = Field(description="The text that takes its place")
    replace_all: bool = Field(default=False, description="Replace every occurrence, not just one")


class MultiEditArgs(ToolArgs):
    """Arguments of MultiEdit."""

    file_path: str = Field(
        description="Path of the file, absolute or relative to the current folder"
    )
    edits: list[SingleEdit] = Field(
        min_length=1, max_length=MAX_EDITS, description="The edits, in the order they are made"
    )


class MultiEditTool(FileChangeTool[MultiEditArgs]):
    """Makes several edits in one file, all or none."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="MultiEdit", description=load_description("multi_edit"), kind="edit"
    )
    args_type = MultiEditArgs

    def change(self, args: MultiEditArgs) -> SeveralEdits:
        """Return the edits."""
        return SeveralEdits(
            edits=tuple(
                StringEdit(old=each.old_string, new=each.new_string, replace_all=each.replace_all)
                for each in args.edits
            )
        )

    async def check(self, args: MultiEditArgs, ctx: ToolContext) -> None:
        """Make sure that each edit would change something, in a file that can be edited."""
        for number, each in enumerate(args.edits, start=1):
            if each.old_string == each.new_string:
                raise ToolInputError(
                    f"Edit {number}: old_string and new_string are the same, so nothing would "
                    "change. Leave it out, or send the text as it shall be in new_string."
                )
            if number > 1 and not each.old_string:
                raise ToolInputError(
                    f"Edit {number} has an empty old_string: only the first edit can create a file."
                )
        path = absolute_path(args.file_path, ctx)
        await check_editable(path, ctx, must_exist=args.edits[0].old_string != "")

    def input_for_text(self, args: MultiEditArgs, preview: FilePreview, text: str) -> JsonObject:
        """Return one edit that replaces the whole text by what the user made of it."""
        edit: JsonObject = {"old_string": preview.old_text or "", "new_string": text}
        return {"file_path": args.file_path, "edits": [edit]}

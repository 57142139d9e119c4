"""The Write tool.

Owns: its arguments. Does not own: the write itself (``workspace.edit_pipeline``).
See also: design 06 §5.4, ``tools.file_change``.
"""

import asyncio
import json
from typing import Any, ClassVar

from pydantic import Field, field_validator
from typing_extensions import override

from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import FilePreview
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.spec import ToolArgs, ToolResult, ToolSpec
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.edit_results import check_editable, edit_result
from pilotfish.tools.file_change import FileChangeTool
from pilotfish.tools.paths import absolute_path
from pilotfish.workspace.edit_pipeline import AppliedEdit
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
        """Models that are to write a JSON file sometimes send what is in it itself (06 §5.4)."""
        if isinstance(value, dict | list):
            return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
        return json.dumps(value) if isinstance(value, bool | int | float) else value


class WriteTool(FileChangeTool[WriteArgs]):
    """Writes a whole file."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Write", description=load_description("write"), kind="edit"
    )
    args_type = WriteArgs

    def change(self, args: WriteArgs) -> WholeText:
        """Return the text, line ends as they were sent."""
        return WholeText(text=args.content)

    async def check(self, args: WriteArgs, ctx: ToolContext) -> None:
        """Make sure that the path can name a text file."""
        await check_editable(absolute_path(args.file_path, ctx), ctx, must_exist=False)

    @override
    def input_for_text(self, args: WriteArgs, preview: FilePreview, text: str) -> JsonObject:
        """Return the write of what the user made of the text."""
        return {"file_path": args.file_path, "content": text}

    async def result(self, args: WriteArgs, ctx: ToolContext, applied: AppliedEdit) -> ToolResult:
        """Mention files beside a new one whose names look the same."""
        notes: list[str] = []
        if applied.old_text is None:
            others = await asyncio.to_thread(twins, absolute_path(args.file_path, ctx))
            notes = [f"Beside it there is {each}, whose name looks the same." for each in others]
        return edit_result(applied, ctx, *notes)

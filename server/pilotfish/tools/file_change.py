"""What the tools that change one file have in common.

Owns: title, facts, preview and run of a change through the edit pipeline.
Does not own: which change it is (each tool), the change itself (``workspace.edit_pipeline``).
"""

from typing import ClassVar, Generic

from pilotfish.core.calls import Location
from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.core.permission import FilePreview
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import ArgsT, Tool, ToolInputError, ToolResult, text_result
from pilotfish.tools.edit_results import edit_result, origin_of, places_of
from pilotfish.tools.paths import absolute_path, project_path
from pilotfish.workspace.edit_pipeline import AppliedEdit
from pilotfish.workspace.proposal import Change


class FileChangeTool(Tool[ArgsT], Generic[ArgsT]):
    """A tool that changes one file: one preview, one question, one checkpoint, all or nothing."""

    path_field: ClassVar[str] = "file_path"
    """The argument that names the file."""

    def change(self, args: ArgsT) -> Change:
        """Return what the call asks for."""
        raise NotImplementedError

    async def check(self, args: ArgsT, ctx: ToolContext) -> None:
        """Make sure that the call can work, as far as that is known without the file's text.

        Raises:
            ToolInputError: It cannot.
        """
        raise NotImplementedError

    def given_path(self, args: ArgsT) -> str:
        """Return the path as the model gave it."""
        return str(getattr(args, self.path_field))

    def title(self, args: ArgsT, ctx: ToolContext) -> str:
        """Return the path."""
        return project_path(absolute_path(self.given_path(args), ctx), ctx)

    async def effects(self, args: ArgsT, ctx: ToolContext) -> Effects:
        """State which file is changed. Whether the change fits is found out by ``preview``.

        Raises:
            ToolInputError: It cannot work.
        """
        path = absolute_path(self.given_path(args), ctx)
        await self.check(args, ctx)
        return Effects(reads=(path,), writes=await places_of(path))

    async def preview(self, args: ArgsT, ctx: ToolContext) -> FilePreview:
        """Return exactly what would change.

        Raises:
            ToolInputError: Not read yet, changed since, or the change does not fit.
        """
        path = absolute_path(self.given_path(args), ctx)
        try:
            return (await ctx.edits.preview(path, self.change(args), ctx.files)).preview
        except WorkspaceError as error:
            raise ToolInputError(str(error)) from error

    def locations(self, args: ArgsT, ctx: ToolContext) -> tuple[Location, ...]:
        """Return the file."""
        return (Location(path=str(absolute_path(self.given_path(args), ctx))),)

    async def result(self, _args: ArgsT, ctx: ToolContext, applied: AppliedEdit) -> ToolResult:
        """Tell model and people about the change."""
        return edit_result(applied, ctx)

    async def run(self, args: ArgsT, ctx: CallContext) -> ToolResult:
        """Make the change."""
        try:
            applied = await ctx.tools.edits.apply(
                absolute_path(self.given_path(args), ctx.tools),
                self.change(args),
                files=ctx.tools.files,
                origin=origin_of(ctx),
                agreed=ctx.agreed,
            )
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        return await self.result(args, ctx.tools, applied)

"""The EnterWorktree and ExitWorktree tools.

Owns: what the model asks for and reads, and what would be lost, told before anybody agrees to it.
Does not own: where the session works (``session.session_worktree``). See also: design 02 §1.
"""

from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.submodules import told_of_submodules
from pilotfish.ports.worktrees import LeavingFacts
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import (
    Survey,
    Tool,
    ToolArgs,
    ToolInputError,
    ToolResult,
    ToolSpec,
    text_result,
)
from pilotfish.tools.descriptions import load_description
from pilotfish.workspace.slug import slug_problem

_ONLY_MAIN = "A sub-agent cannot change where the session works; report what you found."


class EnterWorktreeArgs(ToolArgs):
    """Arguments of EnterWorktree."""

    name: str | None = Field(
        default=None,
        description="How the worktree and its branch are called, such as fix-login; best left out "
        "unless the user names it",
    )


class ExitWorktreeArgs(ToolArgs):
    """Arguments of ExitWorktree."""

    action: Literal["keep", "remove"] = Field(
        description="keep leaves folder and branch on disk; remove deletes both"
    )
    discard_changes: bool = Field(
        default=False,
        description="Delete them with uncommitted files and new commits. Only when the user said so",
    )


class EnterWorktreeTool(Tool[EnterWorktreeArgs]):
    """Moves the session into a worktree."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="EnterWorktree",
        description=load_description("enter_worktree"),
        kind="other",
        deferred=True,
        search_hint="git worktree branch isolate work separate folder",
    )
    args_type = EnterWorktreeArgs

    @override
    def title(self, args: EnterWorktreeArgs, ctx: ToolContext) -> str:
        """Return what would happen."""
        return f"Work in the worktree {args.name}" if args.name else "Work in a worktree"

    async def effects(self, args: EnterWorktreeArgs, ctx: ToolContext) -> Effects:
        """State that a folder and a branch are made.

        Raises:
            ToolInputError: It cannot work, or a sub-agent asks for it.
        """
        if ctx.agent_id != MAIN_AGENT:
            raise ToolInputError(_ONLY_MAIN)
        problem = ctx.worktrees.problem(args.name)
        if not problem and args.name is not None:
            problem = slug_problem(args.name)
        if problem:
            raise ToolInputError(problem)
        return Effects()

    async def run(self, args: EnterWorktreeArgs, ctx: CallContext) -> ToolResult:
        """Make it and go there."""
        try:
            made = await ctx.tools.worktrees.enter(args.name)
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        found = "was there already and is used again" if made.reused else "was made"
        return text_result(
            f"The worktree {made.path} {found}, with the branch {made.branch}. The current folder "
            f"is {ctx.tools.cwd}: relative paths and commands start there. What is not committed in "
            "the main tree is not in it. Files are other files here: read them before you change "
            f"them. {told_of_submodules(made.empty)}".rstrip()
        )


class ExitWorktreeTool(Tool[ExitWorktreeArgs]):
    """Moves the session back into its own folder."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="ExitWorktree",
        description=load_description("exit_worktree"),
        kind="other",
        aliases=("LeaveWorktree",),
        deferred=True,
        search_hint="git worktree leave keep remove branch back to main folder",
    )
    args_type = ExitWorktreeArgs

    def title(self, args: ExitWorktreeArgs, ctx: ToolContext) -> str:
        """Return what would happen."""
        inside = ctx.worktrees.current
        which = "the worktree" if inside is None else f"the worktree {inside.slug}"
        if args.action == "keep":
            return f"Leave {which} and keep it"
        return f"Leave {which} and remove it"

    async def survey(self, args: ExitWorktreeArgs, ctx: ToolContext) -> Survey:
        """Find out what would be lost. Keeping, and removing what holds nothing, needs no consent.

        Raises:
            ToolInputError: There is nothing to leave, agents or commands work in it, or something
                would be lost unasked.
        """
        if ctx.agent_id != MAIN_AGENT:
            raise ToolInputError(_ONLY_MAIN)
        try:
            facts = await ctx.worktrees.look()
        except WorkspaceError as error:
            raise ToolInputError(str(error)) from error
        if args.action == "remove" and facts.held_by:
            raise ToolInputError(facts.held_by)
        if args.action == "keep" or facts.is_clean:
            return Survey(effects=Effects(internal=True), plan=facts)
        if not args.discard_changes:
            raise ToolInputError(
                f"The worktree {facts.worktree.path} is not removed: {facts.changes}. Commit and "
                "keep it, or ask the user and set discard_changes."
            )
        title = f"Delete the worktree {facts.worktree.slug} for good: {facts.changes}"
        return Survey(effects=Effects(), title=title, plan=facts)

    async def run(self, args: ExitWorktreeArgs, ctx: CallContext) -> ToolResult:
        """Go back; remove it only as far as was agreed to."""
        facts = ctx.plan
        # Whoever agreed to a loss has seen it: where there was none to see, none is agreed to.
        discard = args.discard_changes and isinstance(facts, LeavingFacts) and not facts.is_clean
        try:
            left = await ctx.tools.worktrees.leave(remove=args.action == "remove", discard=discard)
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        tree = left.worktree
        if args.action == "remove":
            what = f"The worktree {tree.path} and its branch {tree.branch} are gone."
        else:
            what = (
                f"The worktree {tree.path} with its branch {tree.branch} is kept ({left.changes})."
            )
        return text_result(f"{what} The current folder is {ctx.tools.cwd} again.")

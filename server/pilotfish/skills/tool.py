"""The Skill tool.

Owns: how the model asks for a skill, and telling what the user has to agree to.
Does not own: which skills there are, and what one comes to (``ports.skills.SkillDesk``).
See also: design 03 §4.9, §4.12.
"""

from importlib.resources import files
from typing import ClassVar

from pydantic import Field
from typing_extensions import override

from pilotfish.core.calls import InterruptBehavior
from pilotfish.core.effects import Effects
from pilotfish.ports.skills import SkillCall
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result


class SkillArgs(ToolArgs):
    """Arguments of Skill."""

    skill: str = Field(min_length=1, max_length=128, description="Name of the skill")
    args: str = Field(
        default="", max_length=20_000, description="What it is to work on, if anything"
    )

    @property
    def name(self) -> str:
        """The name without the slash that users type."""
        return self.skill.strip().removeprefix("/")


class SkillTool(Tool[SkillArgs]):
    """Uses skills."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Skill", description="", kind="other", max_result_chars=0
    )
    args_type = SkillArgs

    def __init__(self, listing: str) -> None:
        """Describe itself; the text stays the same, so that the model's cache holds.

        Args:
            listing: The skills as they are when the session begins, a line each.
        """
        text = files("pilotfish.skills").joinpath("tool.md").read_text(encoding="utf-8").strip()
        self._description = f"{text}\n{listing}"

    def description(self) -> str:
        """Return the text for the model, with the skills as they were at the session's start."""
        return self._description

    @override
    def title(self, args: SkillArgs, ctx: ToolContext) -> str:
        """Return the skill as a user would type it."""
        return f"/{args.name} {args.args}".rstrip()

    def starts_early(self) -> bool:
        """A skill may run commands, so it starts only for a reply that counts."""
        return False

    @override
    def interrupt_behavior(self, args: SkillArgs) -> InterruptBehavior:
        """A skill that runs in an agent ends at once."""
        return "cancel"

    async def effects(self, args: SkillArgs, ctx: ToolContext) -> Effects:
        """State whether the skill brings nothing but a text.

        Raises:
            ToolInputError: It cannot be used.
        """
        problem = ctx.skills.problem(args.name)
        if problem:
            raise ToolInputError(problem)
        return Effects(internal=not ctx.skills.unsafe_properties(args.name))

    async def run(self, args: SkillArgs, ctx: CallContext) -> ToolResult:
        """Return the skill's text, or what an agent made of it."""
        call = SkillCall(turn_id=ctx.turn_id, call=ctx.tool_use_id, on_progress=ctx.on_progress)
        return text_result(await ctx.tools.skills.use(args.name, args.args, call))

"""The EnterPlanMode tool.

Owns: switching to plan mode at the model's wish; the user is asked by the permission chain.
Does not own: plan mode itself (``session.plan_mode``). See also: design 05 §10.1.
"""

from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from pilotfish.core.effects import Effects
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description


class EnterPlanModeArgs(ToolArgs):
    """EnterPlanMode has no arguments."""


class EnterPlanModeTool(Tool[EnterPlanModeArgs]):
    """Switches to plan mode."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="EnterPlanMode", description=load_description("enter_plan_mode"), kind="switch_mode"
    )
    args_type = EnterPlanModeArgs

    @override
    def title(self, args: EnterPlanModeArgs, ctx: ToolContext) -> str:
        """Return what would happen."""
        return "Make a plan first"

    @override
    async def effects(self, args: EnterPlanModeArgs, ctx: ToolContext) -> Effects:
        """State that only the session's mode changes.

        Raises:
            ToolInputError: A sub-agent asks for it.
        """
        if ctx.agent_id != MAIN_AGENT:
            raise ToolInputError("A sub-agent cannot switch to plan mode; report what you found.")
        return Effects(internal=True)

    @override
    async def run(self, args: EnterPlanModeArgs, ctx: CallContext) -> ToolResult:
        """Switch. What plan mode asks of the model comes as a reminder with the next message."""
        if ctx.tools.plan.is_on:
            return text_result("Plan mode is on already.")
        ctx.tools.plan.enter()
        return text_result(
            f"Plan mode is on. Look around, write the plan to {ctx.tools.plan.file}, then call "
            "ExitPlanMode."
        )


class EagerEnterPlanModeTool(EnterPlanModeTool):
    """The same for users who like to see plans (setting ``planMode.eagerness``)."""

    spec: ClassVar[ToolSpec] = replace(
        EnterPlanModeTool.spec, description=load_description("enter_plan_mode_eager")
    )

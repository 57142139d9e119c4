"""The ExitPlanMode tool.

Owns: putting the plan to the user and what follows from the answer.
Does not own: plan mode itself (``session.plan_mode``), what the approved prompts permit
(``permissions.plan_prompts``). See also: design 05 §9.3, §10.1.
"""

from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from pilotfish.core.dialogs import PlanAnswer, PlanComment, PlanQuestion
from pilotfish.core.effects import Effects
from pilotfish.core.ids import MAIN_AGENT, new_request_id
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description

MAX_PROMPTS = 20
"""Grants that one plan may ask for; a person has to read them."""


class AllowedPrompt(ToolArgs):
    """Something that the plan wants to run."""

    tool: Literal["Bash"]
    prompt: str = Field(min_length=1, max_length=200, description='Such as "run the tests"')


class ExitPlanModeArgs(ToolArgs):
    """Arguments of ExitPlanMode."""

    allowedPrompts: tuple[AllowedPrompt, ...] = Field(  # noqa: N815 - the name that models know
        default=(),
        max_length=MAX_PROMPTS,
        description="Kinds of commands that carrying out the plan needs, in words",
    )


class ExitPlanModeTool(Tool[ExitPlanModeArgs]):
    """Puts the plan to the user."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="ExitPlanMode", description=load_description("exit_plan_mode"), kind="switch_mode"
    )
    args_type = ExitPlanModeArgs

    @override
    def title(self, args: ExitPlanModeArgs, ctx: ToolContext) -> str:
        """Return what the user is asked."""
        return "Review of the plan"

    @override
    async def effects(self, args: ExitPlanModeArgs, ctx: ToolContext) -> Effects:
        """State that only the session's mode changes.

        Raises:
            ToolInputError: Plan mode is off, nobody can review, or there is no plan yet.
        """
        plan = ctx.plan
        if ctx.agent_id != MAIN_AGENT:
            raise ToolInputError("A sub-agent has no plan of its own; report what you found.")
        if not plan.is_on:
            raise ToolInputError("Plan mode is off, so there is nothing to leave. Go on working.")
        if not ctx.dialogs.can_ask:
            raise ToolInputError(
                "Nobody can approve the plan here. Present it as your answer and end the turn."
            )
        if not (await plan.read()).strip():
            raise ToolInputError(f"There is no plan yet. Write it to {plan.file} first.")
        return Effects(internal=True)

    async def run(self, args: ExitPlanModeArgs, ctx: CallContext) -> ToolResult:
        """Put the plan to the user, and do what the user decides."""
        plan = ctx.tools.plan
        prompts = tuple(each.prompt for each in args.allowedPrompts)
        shown = await plan.read()
        answer = await ctx.tools.dialogs.review_plan(
            PlanQuestion(
                request_id=new_request_id(),
                session_id=ctx.tools.session_id,
                agent_id=ctx.tools.agent_id,
                tool_use_id=ctx.tool_use_id,
                title=_title_of(shown),
                plan_path=str(plan.file),
                plan=shown,
                allowed_prompts=prompts,
                next_mode=plan.mode_after,
                created_at_ms=ctx.tools.clock.now_ms(),
            )
        )
        if answer.kind in ("withdrawn", "keep_planning"):
            return _not_approved(answer)
        if not plan.is_on:
            return text_result(
                "The user left plan mode while the plan was being reviewed. Go on in the mode "
                "that holds now."
            )
        if answer.edited_plan is not None:
            await plan.write(answer.edited_plan)
        final = await plan.read() or shown
        mode = plan.approve(answer.target_mode, prompts)
        if answer.kind == "clear_and_start":
            plan.start_afresh(_fresh_prompt(final, str(plan.file), plan_remarks(answer)))
            return text_result("The user approved the plan and starts afresh with it.")
        edited = final if final != shown else ""
        return text_result(_approved(mode, edited, plan_remarks(answer)))


def plan_remarks(answer: PlanAnswer) -> str:
    """Return what the user says about a plan, each comment under the lines that it is about."""
    parts = [answer.feedback] if answer.feedback else []
    parts.extend(_remark(comment) for comment in answer.comments)
    return "\n\n".join(parts)


def _remark(comment: PlanComment) -> str:
    lines = comment.quote.splitlines() or [""]
    quote = "\n".join(f"> {line}" for line in lines)
    place = f"On line {comment.line} of the plan:" if comment.line else "On these lines:"
    return f"{place}\n{quote}\n{comment.text.strip()}"


def _not_approved(answer: PlanAnswer) -> ToolResult:
    if answer.kind == "withdrawn":
        text = "The plan could not be reviewed: the question was withdrawn. Plan mode is still on."
        return text_result(text, is_error=True)
    if remarks := plan_remarks(answer):
        text = (
            "The user does not approve the plan yet and says:\n"
            f"{remarks}\n"
            "Plan mode is still on: change the plan file accordingly, then call ExitPlanMode again."
        )
        return text_result(text, is_refusal=True)
    text = "The user does not approve the plan and plan mode is still on. Wait for what follows."
    return text_result(text, is_refusal=True, stops_turn=True)


def _approved(mode: str, edited: str, remarks: str) -> str:
    lines = [
        f"The user approved the plan. Plan mode is off, and the mode is {mode}. Begin now; keep a "
        "todo list when the plan has several steps."
    ]
    if edited:
        lines.append(f"The user changed the plan. This is what holds:\n\n{edited}")
    if remarks:
        lines.append(f"The user also says, and it holds where the plan differs:\n\n{remarks}")
    return "\n".join(lines)


def _fresh_prompt(plan: str, path: str, remarks: str) -> str:
    prompt = f"Implement the following plan. It is also kept in {path}.\n\n{plan}"
    if not remarks:
        return prompt
    return f"{prompt}\n\nWhat I say about it, which holds where the plan differs:\n\n{remarks}"


def _title_of(plan: str) -> str:
    """Return the plan's first line of text, without the marks of a heading."""
    lines = (line.strip("# \t") for line in plan.splitlines())
    return f"Plan: {next((line for line in lines if line), 'untitled')}"

"""The Agent tool.

Owns: starting an agent for the model, and telling the model what came of it.
Does not own: which agents there are (``definitions.catalog``), running one (``ports.agents``).
See also: design 01 §4.2, §6.
"""

from collections.abc import Sequence
from importlib.resources import files
from typing import ClassVar, Literal

from pydantic import Field, field_validator
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import override

from pilotfish.agents.listing import list_types
from pilotfish.agents.model import GENERAL_PURPOSE
from pilotfish.agents.results import of_name, report_of
from pilotfish.core.calls import InterruptBehavior
from pilotfish.core.effects import Effects
from pilotfish.core.ids import MAIN_AGENT, ToolUseId
from pilotfish.core.permission import PERMISSION_MODES, PermissionMode
from pilotfish.ports.agents import AgentRequest, AgentType
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result

_TYPES = "{types}"


class AgentArgs(ToolArgs):
    """Arguments of Agent. Those that the schema does not show are taken all the same."""

    description: str = Field(min_length=1, description="Three to five words on the task")
    prompt: str = Field(min_length=1, description="The whole task, for an agent that knows nothing")
    subagent_type: str | None = Field(default=None, description="One of the listed types")
    model: str | None = Field(
        default=None, description="`opus`, `sonnet` or `haiku`, where the usual model does not fit"
    )
    run_in_background: bool = Field(
        default=False, description="Go on without waiting; you are told when it has ended"
    )
    name: str | None = Field(
        default=None, pattern=r"^[A-Za-z0-9_.-]{1,64}$", description="A name to write to it by"
    )
    isolation: Literal["worktree"] | None = Field(
        default=None,
        description="`worktree` gives it a git worktree with a branch of its own, so that several may "
        "change the same files; it begins with the present commit",
    )
    mode: SkipJsonSchema[PermissionMode | None] = None
    cwd: SkipJsonSchema[str | None] = None
    team_name: SkipJsonSchema[str | None] = None

    @field_validator("mode", mode="before")
    @classmethod
    def _mode_is_known(cls, mode: object) -> object:
        """Take an unknown mode for no wish: a call can only tighten."""
        return mode if mode in PERMISSION_MODES else None


class ForegroundAgentArgs(AgentArgs):
    """The same where no agent may go on in the background."""

    run_in_background: SkipJsonSchema[bool] = False


class AgentTool(Tool[AgentArgs]):
    """Starts agents."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Agent",
        description="",
        kind="other",
        aliases=("Task",),
        max_result_chars=0,
        concurrency_safe=True,
    )
    args_type = AgentArgs

    def __init__(self, types: Sequence[AgentType], *, background: bool = True) -> None:
        """Describe itself; the text stays the same, so that the model's cache holds.

        Args:
            types: What may be started now.
            background: Whether agents may go on in the background.
        """
        text = _text("tool.md").replace(_TYPES, list_types(types))
        self._description = f"{text}\n\n{_text('background.md')}" if background else text
        if not background:
            self.args_type = ForegroundAgentArgs

    def description(self) -> str:
        """Return the text for the model, with the types as they were at the session's start."""
        return self._description

    @override
    def title(self, args: AgentArgs, ctx: ToolContext) -> str:
        """Name the type and the task."""
        return f"{args.subagent_type or GENERAL_PURPOSE}: {args.description}"

    def starts_early(self) -> bool:
        """An agent may change things, so it starts only for a reply that counts."""
        return False

    @override
    def interrupt_behavior(self, args: AgentArgs) -> InterruptBehavior:
        """An agent ends at once; what it is writing comes to its end by its own call."""
        return "cancel"

    async def effects(self, args: AgentArgs, ctx: ToolContext) -> Effects:
        """State whether the agent has tools that change files; its calls are judged one by one.

        Raises:
            ToolInputError: It cannot be started.
        """
        if args.isolation is not None and args.cwd is not None:
            raise ToolInputError("Give either isolation or cwd: a worktree is a folder of its own.")
        if args.name == MAIN_AGENT:
            raise ToolInputError(
                f"name: {MAIN_AGENT} is the conversation itself; give another one."
            )
        problem = ctx.agents.problem(_request(args, ToolUseId("")))
        if problem:
            raise ToolInputError(problem)
        wanted = args.subagent_type or GENERAL_PURPOSE
        types = ctx.agents.types()
        return Effects(read_only=any(t.is_read_only for t in types if t.name == wanted))

    async def run(self, args: AgentArgs, ctx: CallContext) -> ToolResult:
        """Start the agent, and wait for it unless it is to go on by itself."""
        agents = ctx.tools.agents
        request = _request(args, ctx.tool_use_id, ctx)
        before = agents.find(args.name) if args.name else None
        entry = await agents.run(request)
        outcome = entry.outcome
        is_brief = any(t.is_one_shot for t in agents.types() if t.name == entry.facts.agent_type)
        failed = outcome is not None and outcome.status == "failed" and not outcome.text
        meant = agents.find(args.name) if args.name else None
        report = report_of(entry, is_brief=is_brief)
        warning = of_name(entry, before, meant)
        return text_result("\n\n".join(part for part in (report, warning) if part), is_error=failed)


def _request(args: AgentArgs, call: ToolUseId, ctx: CallContext | None = None) -> AgentRequest:
    return AgentRequest(
        description=args.description,
        prompt=args.prompt,
        agent_type=args.subagent_type or "",
        model=args.model or None,
        in_background=args.run_in_background,
        name=args.name,
        mode=args.mode,
        isolated=args.isolation is not None,
        cwd=args.cwd,
        call=call,
        on_progress=(lambda _: None) if ctx is None else ctx.on_progress,
    )


def _text(name: str) -> str:
    return files("pilotfish.agents").joinpath(name).read_text(encoding="utf-8").strip()

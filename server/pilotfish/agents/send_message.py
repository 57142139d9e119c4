"""The SendMessage tool.

Owns: whom a message may go to, and what the model is told of its delivery.
Does not own: delivering it (``ports.agents``). See also: design 01 §8.1.
"""

from importlib.resources import files
from typing import ClassVar

from pydantic import Field

from pilotfish.core.agents import AgentEntry
from pilotfish.core.effects import Effects
from pilotfish.core.errors import SessionError
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result

MAX_MESSAGE_CHARS = 100_000
"""Longest message; more belongs into a file that the agent reads."""

_ELSEWHERE = ("bridge:", "uds:")
"""Addresses of other sessions, which this tool has in other programs."""


class SendMessageArgs(ToolArgs):
    """Arguments of SendMessage."""

    to: str = Field(min_length=1, max_length=200, description="Id or name of the agent")
    message: str = Field(min_length=1, max_length=MAX_MESSAGE_CHARS, description="Plain text")
    summary: str = Field(
        min_length=1, max_length=200, description="What it is about, in five to ten words"
    )


class SendMessageTool(Tool[SendMessageArgs]):
    """Writes to agents."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="SendMessage",
        description=files("pilotfish.agents")
        .joinpath("send_message.md")
        .read_text(encoding="utf-8")
        .strip(),
        kind="other",
        max_result_chars=0,
    )
    args_type = SendMessageArgs

    def title(self, args: SendMessageArgs, ctx: ToolContext) -> str:
        """Name the agent and what it is about."""
        found = ctx.agents.find(args.to)
        whom = args.to if found is None else found.facts.description
        return f"To {whom}: {args.summary}"

    async def effects(self, args: SendMessageArgs, ctx: ToolContext) -> Effects:
        """State that only the session's own agents are written to; their calls are judged one by one.

        Raises:
            ToolInputError: There is nobody of that address.
        """
        await _addressee(args.to, ctx)
        return Effects(internal=True)

    async def run(self, args: SendMessageArgs, ctx: CallContext) -> ToolResult:
        """Deliver the message."""
        entry = await _addressee(args.to, ctx.tools)
        agent = entry.agent_id
        try:
            delivery = await ctx.tools.agents.send(agent, _signed(args.message, entry, ctx.tools))
        except SessionError as error:
            return text_result(str(error), is_error=True)
        if delivery == "queued":
            return text_result(f"{agent} runs and reads the message at its next step.")
        return text_result(
            f"{agent} had ended and goes on with the message in the background. You are told when it "
            f"has ended again; what it does, and then its report, is in {entry.facts.output_path or 'that note'}. "
            "Its answer is not known yet: do not guess it."
        )


async def _addressee(address: str, ctx: ToolContext) -> AgentEntry:
    """Return whom a message goes to.

    Raises:
        ToolInputError: Nobody; says why and who there is.
    """
    if address == "*" or address.startswith(_ELSEWHERE):
        raise ToolInputError("A message goes to one agent of this session: give its id or name.")
    if address == MAIN_AGENT:
        raise ToolInputError(
            "The main agent gets no messages: what you say last is your report to whoever started you."
        )
    try:
        entry = await ctx.agents.recall(address)
    except SessionError as error:
        raise ToolInputError(str(error)) from error
    if entry is None:
        running = ", ".join(
            f"{each.agent_id} ({each.facts.name or each.facts.description})"
            for each in ctx.agents.running()
        )
        there = f"Running: {running}." if running else "None runs."
        raise ToolInputError(f"There is no agent {address!r} in this session. {there}")
    if entry.agent_id == ctx.agent_id:
        raise ToolInputError("That is you.")
    return entry


def _signed(message: str, entry: AgentEntry, ctx: ToolContext) -> str:
    """Return the message; whoever did not start the agent says who they are."""
    if ctx.agent_id == entry.facts.parent:
        return message
    return f"[from the agent {ctx.agent_id}, not from whoever started you]\n{message}"

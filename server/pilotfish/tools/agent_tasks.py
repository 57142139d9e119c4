"""Agents as TaskOutput and TaskStop see them.

Owns: how the model is shown an agent that it asks about, and which agents it may stop.
Does not own: the agents (``ports.agents``). See also: design 01 §8.2, §8.3.
"""

from pilotfish.core.agents import AgentEntry, AgentFacts, AgentOutcome, of_tree, of_unheard
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.tooling.context import ToolContext

MAX_SHOWN_CHARS = 30_000
"""Of an agent's report, what is shown; its output file has all of it."""


def named_agent(entry: AgentEntry) -> str:
    """Return an agent for people."""
    return f"{entry.agent_id}: {entry.facts.description}"


async def show_agent(entry: AgentEntry, wait_s: float, ctx: ToolContext) -> str:
    """Return how an agent stands, after waiting for its end at most so long.

    Whoever started it and sees its end here is not told again.
    """
    if wait_s > 0:
        await ctx.agents.wait(entry.agent_id, wait_s)
    now = ctx.agents.find(entry.agent_id) or entry
    facts, outcome = now.facts, now.outcome
    named = f"{facts.agent_id} ({facts.agent_type}: {facts.description})"
    if outcome is None:
        so_far = ctx.agents.so_far(facts.agent_id)
        where = f"; {facts.output_path} holds all of it" if facts.output_path else ""
        return f"[{named} is running{where}]\n{so_far}".strip()
    tell(now, ctx)
    why = f": {outcome.error}" if outcome.error else ""
    head = f"[{named} has ended ({outcome.status}){why}]\n{_shortened(now, outcome.text)}".strip()
    return "\n\n".join(part for part in (head, _left_by(facts, outcome)) if part)


async def stop_agent(entry: AgentEntry, ctx: ToolContext) -> str:
    """End an agent; returns what the model is told, nothing when it had ended."""
    if not await ctx.agents.stop(entry.agent_id):
        return ""
    now = ctx.agents.find(entry.agent_id) or entry
    tell(now, ctx)
    text = "" if now.outcome is None else _shortened(now, now.outcome.text)
    so_far = f" What it had said so far:\n{text}" if text else " It had said nothing yet."
    left = "" if now.outcome is None else _left_by(now.facts, now.outcome)
    return f"{entry.agent_id} was stopped.{so_far}" + (f"\n\n{left}" if left else "")


def why_not_stoppable(entry: AgentEntry, ctx: ToolContext) -> str:
    """Return why an agent cannot be stopped from here; empty when it can."""
    if entry.outcome is not None:
        return f"{entry.agent_id} has ended already ({entry.outcome.status})."
    if ctx.agent_id == MAIN_AGENT or _is_below(entry, ctx):
        return ""
    return f"{entry.agent_id} was not started by you: only whoever started it stops it."


def tell(entry: AgentEntry, ctx: ToolContext) -> None:
    """Note that whoever started an agent has seen its end."""
    if entry.facts.parent == ctx.agent_id:
        ctx.agents.tell(entry.agent_id)


def _left_by(facts: AgentFacts, outcome: AgentOutcome) -> str:
    """Tell what the note about an end would tell beside the report: it does not come any more."""
    told = (of_unheard(outcome), of_tree(facts, outcome))
    return "\n\n".join(part for part in told if part)


def _is_below(entry: AgentEntry, ctx: ToolContext) -> bool:
    """Tell whether the caller has started an agent, or an agent that has."""
    above: AgentEntry | None = entry
    while above is not None:
        if above.facts.parent == ctx.agent_id:
            return True
        above = ctx.agents.find(above.facts.parent)
    return False


def _shortened(entry: AgentEntry, text: str) -> str:
    if len(text) <= MAX_SHOWN_CHARS:
        return text
    more = len(text) - MAX_SHOWN_CHARS
    return f"{text[:MAX_SHOWN_CHARS]}\n… {more} more characters in {entry.facts.output_path}"

"""What the model reads of an agent that it started.

Owns: the texts of design 01 §6. Does not own: the facts (``core.agents``).
"""

from pilotfish.core.agents import AgentEntry, AgentOutcome, of_tree, of_unheard


def report_of(entry: AgentEntry, *, is_brief: bool) -> str:
    """Tell what came of an agent, or that it goes on.

    Args:
        entry: The agent, as it stands.
        is_brief: Whether nobody goes on with such agents, so that how to do so is left out.
    """
    outcome = entry.outcome
    if outcome is None:
        return launched(entry)
    said = outcome.text or "(It said nothing.)"
    parts = [_opening(entry, outcome), said, of_unheard(outcome), of_tree(entry.facts, outcome)]
    if not is_brief or outcome.status != "completed":
        parts.append(_trailer(entry, outcome))
    return "\n\n".join(part for part in parts if part)


def of_name(entry: AgentEntry, before: AgentEntry | None, meant: AgentEntry | None) -> str:
    """Warn that a name stands for more than one agent; empty when it does not.

    Args:
        entry: The agent that was given the name.
        before: Whom the name meant before that; None: nobody.
        meant: Whom it means now.
    """
    name, own = entry.facts.name, entry.agent_id
    if meant is not None and meant.agent_id != own:
        return f"[{name} means the agent {meant.agent_id}; write to this one by its id, {own}]"
    if before is None or before.agent_id == own:
        return ""
    return f"[{name} meant the agent {before.agent_id} before and means {own} now; write to that one by its id]"


def launched(entry: AgentEntry) -> str:
    """Say that an agent works in the background, and how its result comes."""
    facts = entry.facts
    how = "works" if facts.is_background else "took long and goes on"
    named = f" (name: {facts.name})" if facts.name else ""
    return (
        f"The agent {facts.agent_id}{named} {how} in the background: {facts.description}.\n"
        "You are told when it has ended. Its result is not known yet: do not guess it, and do not "
        f"wait by asking again and again. {facts.output_path} holds what it has done so far, and its "
        "report when it has ended; "
        f"SendMessage to {facts.agent_id} tells it more, TaskStop ends it."
    )


def _opening(entry: AgentEntry, outcome: AgentOutcome) -> str:
    if outcome.status == "completed":
        return ""
    what = "was stopped" if outcome.status == "killed" else "did not finish"
    return (
        f"[The agent {entry.agent_id} {what}: {outcome.error or 'no reason is known'}. What follows "
        "is as far as it came.]"
    )


def _trailer(entry: AgentEntry, outcome: AgentOutcome) -> str:
    seconds = outcome.duration_ms / 1000
    return (
        f"[agent {entry.agent_id} · {outcome.tool_uses} tool uses · {outcome.total_tokens} tokens · "
        f"{seconds:.1f} s · SendMessage to {entry.agent_id} lets it go on]"
    )

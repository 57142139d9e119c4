"""The list of agents that the model chooses from.

Owns: its form, and its limit: it goes into every request of a session.
Does not own: which agents are in it.
"""

from collections.abc import Sequence

from pilotfish.ports.agents import AgentType

MAX_DESCRIPTION_CHARS = 1_000
"""Longest description in the list."""

MAX_LISTING_CHARS = 16_000
"""Longest list; beyond it descriptions get shorter, then go, then agents are left out at the end."""

_LEAST_DESCRIPTION_CHARS = 20
"""With less room than this for each, names alone say as much."""


def list_types(types: Sequence[AgentType]) -> str:
    """Return a line for each kind of agent, in the order given."""
    text = "\n".join(_line(each, MAX_DESCRIPTION_CHARS) for each in types)
    if len(text) <= MAX_LISTING_CHARS:
        return text
    fixed = sum(len(_line(each, 0)) + 1 for each in types)
    share = (MAX_LISTING_CHARS - fixed) // len(types)
    if share >= _LEAST_DESCRIPTION_CHARS:
        return "\n".join(_line(each, share) for each in types)
    return _names(types)


def _line(agent: AgentType, room: int) -> str:
    text = agent.description
    said = text if len(text) <= room else text[: max(room - 1, 0)].rstrip() + "…"
    return f"- {agent.name}: {said} (Tools: {_cut(agent.tools)})"


def _cut(tools: str) -> str:
    return tools if len(tools) <= MAX_DESCRIPTION_CHARS else tools[:MAX_DESCRIPTION_CHARS] + "…"


def _names(types: Sequence[AgentType]) -> str:
    lines: list[str] = []
    room = MAX_LISTING_CHARS
    for agent in types:
        line = f"- {agent.name}"
        room -= len(line) + 1
        if room < 0:
            lines.append(f"- and {len(types) - len(lines)} more, which are not listed")
            break
        lines.append(line)
    return "\n".join(lines)

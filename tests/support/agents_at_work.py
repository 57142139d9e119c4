"""Agents of a session in this process, while they work and when they have ended.

Owns: starting them by their scripts, finding them, waiting for their ends. Their scripts are in
``agent_scripts``.
"""

from typing import Any

from pilotfish.core.agents import AgentEntry
from pilotfish.session.session import Session
from pilotfish.session.subagents import Subagents

from tests.support.agent_scripts import agent
from tests.support.waiting import until
from tools.fake_model import Stall, Turn


def held(text: str, gate: str) -> Turn:
    """Return an answer that does not begin before the gate is released."""
    return Turn(text, faults=[Stall(before_headers=True, gate=gate)])


def begun(name: str, **more: Any) -> Any:
    """Return the call that starts an agent in the background, by the name of its script."""
    given: dict[str, Any] = {"run_in_background": True} | more
    return agent(f"{name}: look around", call=f"toolu_{name}", **given)


def desk_of(session: Session) -> Subagents:
    agents = session.workbench.agents
    assert isinstance(agents, Subagents)
    return agents


def entry_of(session: Session, name: str = "scout") -> AgentEntry:
    [entry] = [
        one for one in session.data.agents.values() if one.facts.prompt.startswith(f"{name}:")
    ]
    return entry


async def ended(session: Session) -> None:
    """Wait until no agent of a session works and nothing goes on for any."""
    entries = session.data.agents
    await until(lambda: all(one.outcome is not None for one in entries.values()))
    await until(lambda: desk_of(session).busy() == 0)

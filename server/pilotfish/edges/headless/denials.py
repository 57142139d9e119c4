"""What a run was not permitted.

Owns: the calls that were denied, for the result and the exit code.
See also: 02 §6.2.
"""

from typing import Any

from pilotfish.core.agent_events import AgentEnded
from pilotfish.core.events import (
    BlockFinished,
    DecisionMade,
    SessionEvent,
    ToolFinished,
    ToolStarted,
)
from pilotfish.core.ids import ToolUseId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import ToolUseBlock


class Denials:
    """The denied calls of a run, in order; of its agents' calls the number alone is known."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        """``tool_name``, ``tool_use_id`` and ``tool_input`` of each denied call of the main agent."""
        self._of_agents = 0
        self._open: dict[ToolUseId, JsonObject] = {}
        """What each call that has not ended was asked to do."""

    @property
    def count(self) -> int:
        """How many calls were denied, those of agents included."""
        return len(self.calls) + self._of_agents

    def hear(self, event: SessionEvent) -> None:
        """Take a session's event in."""
        match event:
            case BlockFinished(block=ToolUseBlock() as block):
                self._open[block.id] = block.input
            case ToolStarted(tool_use_id=tool_use_id):
                # Not every call is the model's: a skill's commands have no block.
                self._open[tool_use_id] = event.input
            case ToolFinished(tool_use_id=tool_use_id):
                self._open.pop(tool_use_id, None)
            case DecisionMade(behavior="deny"):
                self.calls.append(
                    {
                        "tool_name": event.tool,
                        "tool_use_id": event.tool_use_id,
                        "tool_input": self._open.get(event.tool_use_id, {}),
                    }
                )
            case AgentEnded(outcome=outcome):
                self._of_agents += outcome.denials
            case _:
                pass

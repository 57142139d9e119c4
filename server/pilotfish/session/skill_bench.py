"""The skills of one conversation, put together.

Owns: which part gets which. Does not own: the parts.
"""

from collections.abc import Callable

from pilotfish.core.calls import CallScope, ToolProgress
from pilotfish.engine.state import TurnIdentity
from pilotfish.ports.agents import AgentSpawner
from pilotfish.session.permission_source import PermissionSource
from pilotfish.session.session import Session
from pilotfish.session.skill_commands import SkillCommands
from pilotfish.session.skill_definitions import SkillDefinitions
from pilotfish.session.skill_desk import SessionSkills
from pilotfish.session.skill_fork import SkillForks
from pilotfish.session.skill_use import SkillUse
from pilotfish.session.tool_chain import ToolChain
from pilotfish.tooling.registry import ToolRegistry


class SkillBench:
    """What uses skills for one agent, the main one included."""

    def __init__(
        self,
        session: Session,
        definitions: SkillDefinitions,
        permissions: PermissionSource,
        road: Callable[[], tuple[ToolChain, ToolRegistry]],
        scope: Callable[[TurnIdentity, Callable[[ToolProgress], None]], CallScope],
        spawner: Callable[[], AgentSpawner],
    ) -> None:
        """Put it together.

        Args:
            session: The conversation.
            definitions: The skills.
            permissions: Where their grants hold.
            road: Returns the chain in front of tools, and the tools that may be called now.
            scope: Returns who calls.
            spawner: Returns what starts agents.
        """
        commands = SkillCommands(session.log, road, scope, permissions)
        self.use = SkillUse(session, permissions, commands, definitions.usage)
        self.forks = SkillForks(session, self.use, permissions, spawner)
        self.desk = SessionSkills(session, definitions, self.use, self.forks)

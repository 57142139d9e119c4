"""What people define in files beside the settings, for one session.

Owns: that kinds of agents and skills are read and followed together.
"""

from dataclasses import dataclass
from pathlib import Path

from pilotfish.core.passing_events import CommandsChanged
from pilotfish.session.agent_definitions import AgentDefinitions, agent_sources
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.skill_definitions import SkillDefinitions, skill_sources


@dataclass(frozen=True, kw_only=True, slots=True)
class Definitions:
    """Kinds of agents, and skills."""

    agents: AgentDefinitions
    skills: SkillDefinitions

    @classmethod
    def of(cls, session: Session, services: Services, cwd: Path) -> "Definitions":
        """Return those of a session; ``refresh`` reads them."""
        watch = services.settings_watch
        return cls(
            agents=AgentDefinitions(agent_sources(services, cwd), watch),
            skills=SkillDefinitions(
                skill_sources(services, cwd), watch, lambda: session.log.tell(CommandsChanged())
            ),
        )

    async def refresh(self, *, trusted: bool) -> None:
        """Read them again where anything has changed."""
        await self.agents.refresh(trusted=trusted)
        await self.skills.refresh(trusted=trusted)

    def follow(self) -> None:
        """Read them again as soon as files change, until ``close``."""
        self.agents.follow()
        self.skills.follow()

    def close(self) -> None:
        """End following."""
        self.agents.close()
        self.skills.close()

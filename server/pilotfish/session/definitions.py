"""What people define in files beside the settings, for one session.

Owns: where a session's definitions are, and that agents and skills are read and followed together.
"""

from dataclasses import replace
from pathlib import Path

from pilotfish.agents.loader import KnownAgents, load_agents
from pilotfish.config.sources import is_trusted_project
from pilotfish.core.passing_events import CommandsChanged
from pilotfish.definitions.loading import Known
from pilotfish.session.agent_definitions import AgentDefinitions
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.skill_definitions import SkillDefinitions
from pilotfish.skills.loader import SkillSources, load_skills
from pilotfish.skills.model import Skill
from pilotfish.util.records import dataclass


def definition_sources(services: Services, root: Path | None) -> SkillSources:
    """Return where definitions for a folder come from; None when no folder is open."""
    managed = services.managed_settings
    return SkillSources(
        state_folder=services.state_folder,
        user_home=services.user_home,
        project_root=root,
        policy_folder=None if managed is None else managed.parent,
    )


def agents_of(services: Services, root: Path | None) -> KnownAgents:
    """Return the agents that are defined for a folder now. Touches the disk and blocks."""
    return load_agents(_sources_now(services, root))


def skills_of(services: Services, root: Path | None) -> Known[Skill]:
    """Return the skills that there are for a folder now. Touches the disk and blocks."""
    return load_skills(_sources_now(services, root))


def _sources_now(services: Services, root: Path | None) -> SkillSources:
    trusted = is_trusted_project(services.settings_sources(root))
    return replace(definition_sources(services, root), trusted=trusted)


@dataclass(frozen=True, kw_only=True, slots=True)
class Definitions:
    """Kinds of agents, and skills."""

    agents: AgentDefinitions
    skills: SkillDefinitions

    @classmethod
    def of(cls, session: Session, services: Services, cwd: Path) -> "Definitions":
        """Return those of a session; ``refresh`` reads them."""
        watch, sources = services.settings_watch, definition_sources(services, cwd)
        return cls(
            agents=AgentDefinitions(sources, watch),
            skills=SkillDefinitions(
                sources,
                watch,
                services.skill_usage,
                lambda: session.log.tell(CommandsChanged()),
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

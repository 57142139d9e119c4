"""The skills of one session, kept up to date.

Owns: where a session's skills are, which of them are there now (some wait for a file that they are about,
some lie beside files that are worked with), reading one when it is used.
Does not own: when files are read again (``session.followed_files``), reading them (``skills.loader``), using
a skill (``session.skill_use``).
See also: design 03 §4.14, §4.15, §4.18.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pilotfish.config.sources import is_trusted_project
from pilotfish.config.watch import SettingsWatch
from pilotfish.session.followed_files import FollowedFiles, watched_folders
from pilotfish.session.services import Services
from pilotfish.skills.catalog import SkillCatalog
from pilotfish.skills.conditions import waiting_for
from pilotfish.skills.loader import (
    KnownSkills,
    SkillSources,
    load_skills,
    read_document,
    skill_files,
    skill_folders,
)
from pilotfish.skills.model import Skill, SkillDocument


def skill_sources(services: Services, root: Path | None, *, trusted: bool = False) -> SkillSources:
    """Return where the skills for a folder come from; None when no folder is open."""
    managed = services.managed_settings
    return SkillSources(
        state_folder=services.state_folder,
        user_home=services.user_home,
        project_root=root,
        trusted=trusted,
        policy_folder=None if managed is None else managed.parent,
    )


def skills_of(services: Services, root: Path | None) -> KnownSkills:
    """Return what there is for a folder now. Touches the disk and blocks."""
    trusted = is_trusted_project(services.settings_sources(root))
    return load_skills(skill_sources(services, root, trusted=trusted))


class SkillDefinitions:
    """What a session's user and model may use."""

    def __init__(
        self, sources: SkillSources, watch: SettingsWatch, on_change: Callable[[], None]
    ) -> None:
        """Know nothing; ``refresh`` finds the skills.

        Args:
            sources: Where they are; whether the project is trusted is said anew each time.
            watch: Tells when files change.
            on_change: Called when there are others than before.
        """
        self._sources = sources
        self._on_change = on_change
        self._activated: set[str] = set()
        """Names of skills that waited for a file, which has come."""
        self.catalog = SkillCatalog()
        """Everything that was found."""
        self._files = FollowedFiles(self._places, self._load, self._take, watch)

    def offered(self) -> Mapping[str, Skill]:
        """Return the skills that are there now, by name."""
        return {
            name: skill
            for name, skill in self.catalog.active().items()
            if not skill.paths or name in self._activated
        }

    def worked_with(self, path: str) -> None:
        """Take into account that a file was read or changed: skills that wait for it are there now."""
        waiting = [
            skill
            for name, skill in self.catalog.active().items()
            if skill.paths and name not in self._activated
        ]
        root = self._sources.project_root
        if not waiting or root is None:
            return
        for folder in (root, Path(os.path.realpath(root))):
            if Path(path).is_relative_to(folder):
                found = waiting_for(waiting, Path(path).relative_to(folder))
                if found:
                    self._activated |= found
                    self._on_change()
                return

    async def read(self, skill: Skill) -> SkillDocument:
        """Return a skill as its file is now.

        Raises:
            SkillError: It cannot be used any more.
        """
        return await asyncio.to_thread(read_document, skill, self._sources)

    async def refresh(self, *, trusted: bool) -> None:
        """Read them again where anything has changed."""
        await self._files.refresh(trusted=trusted)

    async def reload(self) -> None:
        """Read them again, whatever has changed."""
        await self._files.reload()

    def follow(self) -> None:
        """Read them again as soon as files change, until ``close``."""
        self._files.follow()

    def close(self) -> None:
        """End following."""
        self._files.close()

    def _places(self, trusted: bool) -> list[Path]:  # noqa: FBT001
        sources = replace(self._sources, trusted=trusted)
        files = skill_files(sources)
        # A skill's own folder is looked at as well: its file may come later than the folder.
        return [*watched_folders(skill_folders(sources)), *files]

    def _load(self, trusted: bool) -> KnownSkills:  # noqa: FBT001
        self._sources = replace(self._sources, trusted=trusted)
        return load_skills(self._sources)

    def _take(self, known: KnownSkills) -> None:
        self.catalog.take(known)
        self._on_change()

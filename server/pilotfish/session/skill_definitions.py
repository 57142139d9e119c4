"""The skills of one session, kept up to date.

Owns: which of a session's skills are there now (some wait for a file that they are about, some lie beside files that are worked with), reading one
when it is used.
Does not own: when files are read again (``definitions.followed``), reading them (``skills.loader``), using
a skill (``session.skill_use``).
See also: design 03 §4.14, §4.15, §4.18.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pilotfish.config.watch import SettingsWatch
from pilotfish.definitions.followed import FollowedDefinitions, watched_folders
from pilotfish.definitions.loading import Known
from pilotfish.llm.catalog import UNKNOWN_CONTEXT_TOKENS
from pilotfish.session.nested_skills import NestedSkills
from pilotfish.skills.conditions import waiting_for
from pilotfish.skills.loader import (
    SkillSources,
    load_skills,
    read_document,
    skill_files,
    skill_folders,
)
from pilotfish.skills.model import Skill, SkillDocument
from pilotfish.skills.usage import SkillUsage


class SkillDefinitions(FollowedDefinitions[Skill]):
    """What a session's user and model may use."""

    def __init__(
        self,
        sources: SkillSources,
        watch: SettingsWatch,
        usage: SkillUsage,
        on_change: Callable[[], None],
    ) -> None:
        """Know nothing; ``refresh`` finds the skills.

        Args:
            sources: Where they are; whether the project is trusted is said anew each time.
            watch: Tells when files change.
            usage: Which of them the user uses.
            on_change: Called when there are others than before.
        """
        super().__init__(self._places_of, self._load_from, watch, on_change)
        self._sources = sources
        self.usage = usage
        """Which of them the user uses; read again with the skills."""
        self.window_tokens = UNKNOWN_CONTEXT_TOKENS
        """The window of the model that the session begins with: a list of skills has a share of it.
        It stays when another model is chosen, so that what the model was told stays the same."""
        self._nested = NestedSkills(sources.project_root)
        self._activated: set[str] = set()
        """Names of skills that waited for a file, which has come."""

    def offered(self) -> Mapping[str, Skill]:
        """Return the skills that are there now, by name."""
        return {
            name: skill
            for name, skill in self.catalog.active().items()
            if not skill.paths or name in self._activated
        }

    def worked_with(self, path: str) -> None:
        """Take into account that a file was read or changed: skills that wait for it are there now."""
        self._nested.worked_with(Path(path))
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

    async def discover(self) -> None:
        """Take in the skills of the folders that were worked in since the last time."""
        if await self._nested.look():
            self._sources = replace(self._sources, nested=self._nested.found)
            await self.reload()

    async def read(self, skill: Skill) -> SkillDocument:
        """Return a skill as its file is now.

        Raises:
            SkillError: It cannot be used any more.
        """
        return await asyncio.to_thread(read_document, skill, self._sources)

    def _places_of(self, trusted: bool) -> list[Path]:  # noqa: FBT001
        sources = replace(self._sources, trusted=trusted)
        files = skill_files(sources)
        # A skill's own folder is looked at as well: its file may come later than the folder.
        return [*watched_folders(skill_folders(sources)), *files]

    def _load_from(self, trusted: bool) -> Known[Skill]:  # noqa: FBT001
        self._sources = replace(self._sources, trusted=trusted)
        self.usage.load()
        return load_skills(self._sources)

"""Finding the files of agent definitions.

Owns: where they lie, which folder counts more, the limits on files, what is left alone for want of trust.
Does not own: what a text says (``reader``), which definition of a name counts (``catalog``).
All of it touches the disk and blocks. Nothing in a file can make it raise.
See also: design 03 §1.1, §1.4.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pilotfish.agents.builtin import builtin_agents
from pilotfish.agents.model import AgentDefinition, DefinitionSource
from pilotfish.agents.reader import DefinitionOrigin, read_definition
from pilotfish.config.definition_fields import DefinitionProblem
from pilotfish.config.definition_files import entries_in, is_markdown, why_not_read
from pilotfish.config.files import read_text
from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.managed import ROOT_UID
from pilotfish.core.errors import SettingsError

OwnSource = Literal["userSettings", "projectSettings"]

FOLDER = "agents"
"""Name of the folder with definitions, in Pilotfish's own folder and in the one below."""

OTHER_FOLDER_NAME = ".claude"
"""The folder of another product whose definitions are read, too, and never written."""

MAX_FILES = 200
"""Files that are read in one folder, by their names; each goes into every request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSources:
    """Everything that definitions are read from."""

    state_folder: Path
    """Pilotfish's own folder of the user."""
    user_home: Path
    project_root: Path | None = None
    """None when no folder is open."""
    trusted: bool = False
    """Whether the user vouches for the project's files; without it they are not even read."""
    policy_folder: Path | None = None
    """The administrator's folder, which holds a folder of definitions; None for none."""
    policy_owner_uid: int = ROOT_UID
    """Who must own the administrator's files."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownAgents:
    """What was found at one moment."""

    definitions: tuple[AgentDefinition, ...]
    """Weakest first, with those that a stronger one of the same name replaces."""
    problems: tuple[DefinitionProblem, ...] = ()
    untrusted: tuple[Path, ...] = ()
    """Files that do not count because nobody vouches for the folder."""
    homes: Mapping[OwnSource, Path] = field(default_factory=dict[OwnSource, Path])
    """The folders that people put definitions of their own into, whether they exist or not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Folder:
    path: Path
    source: DefinitionSource
    inside: Path | None = None
    """Where the files must really lie; None where links may lead anywhere."""


def definition_folders(sources: AgentSources) -> tuple[Path, ...]:
    """Return every folder that may hold definitions, whether it exists or not."""
    return tuple(folder.path for folder in _folders(sources))


def definition_files(sources: AgentSources) -> tuple[Path, ...]:
    """Return the files that are, or would be, read."""
    return tuple(file for folder in _folders(sources) for file in _files_in(folder.path)[0])


def load_agents(sources: AgentSources) -> KnownAgents:
    """Read all definitions that may count, and say what is wrong with the others."""
    loading = _Loading(sources)
    for folder in _folders(sources):
        loading.read(folder)
    return KnownAgents(
        definitions=(*builtin_agents(), *loading.definitions),
        problems=tuple(loading.problems),
        untrusted=tuple(loading.untrusted),
        homes=_homes(sources),
    )


def _homes(sources: AgentSources) -> dict[OwnSource, Path]:
    homes: dict[OwnSource, Path] = {"userSettings": sources.state_folder / FOLDER}
    if sources.project_root is not None:
        homes["projectSettings"] = sources.project_root / FOLDER_NAME / FOLDER
    return homes


def _folders(sources: AgentSources) -> Iterator[_Folder]:
    """Yield the folders, weakest first."""
    yield _Folder(path=sources.user_home / OTHER_FOLDER_NAME / FOLDER, source="userSettings")
    yield _Folder(path=sources.state_folder / FOLDER, source="userSettings")
    root = sources.project_root
    if root is not None:
        for name in (OTHER_FOLDER_NAME, FOLDER_NAME):
            yield _Folder(path=root / name / FOLDER, source="projectSettings", inside=root)
    if sources.policy_folder is not None:
        yield _Folder(path=sources.policy_folder / FOLDER, source="policySettings")


class _Loading:
    """Reads folders one after the other."""

    def __init__(self, sources: AgentSources) -> None:
        self._sources = sources
        self._seen: set[str] = set()
        """Real paths: a folder may be reached twice, and counts as what it was first."""
        self.definitions: list[AgentDefinition] = []
        self.problems: list[DefinitionProblem] = []
        self.untrusted: list[Path] = []

    def read(self, folder: _Folder) -> None:
        files, left_out = _files_in(folder.path)
        if left_out:
            text = f"Only the first {MAX_FILES} definitions of this folder are read."
            self.problems.append(DefinitionProblem(text=text, path=folder.path))
        by_name: dict[str, Path] = {}
        for file in files:
            real = os.path.realpath(file)
            if real in self._seen:
                continue
            self._seen.add(real)
            if folder.source == "projectSettings" and not self._sources.trusted:
                self.untrusted.append(file)
                continue
            definition = self._read_file(file, folder)
            if definition is not None:
                self._take(definition, file, by_name)

    def _take(self, definition: AgentDefinition, file: Path, by_name: dict[str, Path]) -> None:
        """Keep a definition; of two with one name in a folder, the first file counts."""
        other = by_name.setdefault(definition.agent_type, file)
        if other is file:
            self.definitions.append(definition)
        else:
            self._fail(file, f"{other.name} defines {definition.agent_type} already.")

    def _read_file(self, file: Path, folder: _Folder) -> AgentDefinition | None:
        managed = folder.source == "policySettings"
        owner = self._sources.policy_owner_uid if managed else None
        problem = why_not_read(file, inside=folder.inside, owner_uid=owner)
        if problem:
            self._fail(file, problem)
            return None
        try:
            text = read_text(file)
        except SettingsError as error:
            self._fail(file, str(error))
            return None
        if text is None:
            return None
        found = read_definition(text, DefinitionOrigin(source=folder.source, path=file))
        self.problems += found.problems
        return found.definition

    def _fail(self, file: Path, text: str) -> None:
        self.problems.append(DefinitionProblem(text=text, path=file, severity="error"))


def _files_in(folder: Path) -> tuple[list[Path], bool]:
    """Return the Markdown files of a folder by name, and whether there are more than that."""
    return entries_in(folder, is_markdown, MAX_FILES)

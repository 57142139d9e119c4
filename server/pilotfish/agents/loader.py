"""Finding the files of agent definitions.

Owns: where they lie, which folder counts more, how many there may be.
Does not own: reading a file with care (``definitions.loading``), what a text says (``reader``), which
definition of a name counts (``definitions.catalog``).
All of it touches the disk and blocks. Nothing in a file can make it raise.
See also: design 03 §1.1, §1.4.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Literal

from pilotfish.agents.builtin import builtin_agents
from pilotfish.agents.model import AgentDefinition, DefinitionSource
from pilotfish.agents.reader import read_definition
from pilotfish.config.home import FOLDER_NAME
from pilotfish.definitions.fields import DefinitionProblem
from pilotfish.definitions.files import entries_in, is_markdown
from pilotfish.definitions.loading import (
    OTHER_FOLDER_NAME,
    DefinitionFolder,
    DefinitionSources,
    Known,
    Loading,
)
from pilotfish.util.records import dataclass

OwnSource = Literal["userSettings", "projectSettings"]

FOLDER = "agents"
"""Name of the folder with definitions, in Pilotfish's own folder and in the other product's."""

MAX_FILES = 200
"""Files that are read in one folder, by their names; each goes into every request."""

_Folder = DefinitionFolder[DefinitionSource]


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownAgents(Known[AgentDefinition]):
    """What was found at one moment."""

    homes: Mapping[OwnSource, Path] = field(default_factory=dict[OwnSource, Path])
    """The folders that people put definitions of their own into, whether they exist or not."""


def agent_folders(sources: DefinitionSources) -> tuple[Path, ...]:
    """Return every folder that may hold definitions, whether it exists or not."""
    return tuple(folder.path for folder in _folders(sources))


def agent_files(sources: DefinitionSources) -> tuple[Path, ...]:
    """Return the files that are, or would be, read."""
    return tuple(file for folder in _folders(sources) for file in _files_in(folder.path)[0])


def load_agents(sources: DefinitionSources) -> KnownAgents:
    """Read all definitions that may count, and say what is wrong with the others."""
    loading = Loading(sources)
    found: tuple[AgentDefinition, ...] = builtin_agents()
    for folder in _folders(sources):
        found = (*_read_folder(folder, loading), *found)
    return KnownAgents(
        found=found,
        problems=tuple(loading.problems),
        untrusted=tuple(loading.untrusted),
        homes=_homes(sources),
    )


def _homes(sources: DefinitionSources) -> dict[OwnSource, Path]:
    homes: dict[OwnSource, Path] = {"userSettings": sources.state_folder / FOLDER}
    if sources.project_root is not None:
        homes["projectSettings"] = sources.project_root / FOLDER_NAME / FOLDER
    return homes


def _folders(sources: DefinitionSources) -> Iterator[_Folder]:
    """Yield the folders, weakest first."""
    yield DefinitionFolder(
        path=sources.user_home / OTHER_FOLDER_NAME / FOLDER, source="userSettings"
    )
    yield DefinitionFolder(path=sources.state_folder / FOLDER, source="userSettings")
    root = sources.project_root
    if root is not None:
        for name in (OTHER_FOLDER_NAME, FOLDER_NAME):
            yield DefinitionFolder(path=root / name / FOLDER, source="projectSettings", inside=root)
    if sources.policy_folder is not None:
        yield DefinitionFolder(path=sources.policy_folder / FOLDER, source="policySettings")


def _read_folder(folder: _Folder, loading: Loading) -> list[AgentDefinition]:
    """Return the definitions of a folder; of two with one name, the first file counts."""
    files, left_out = _files_in(folder.path)
    if left_out:
        text = f"Only the first {MAX_FILES} definitions of this folder are read."
        loading.problems.append(DefinitionProblem(text=text, path=folder.path))
    found: list[AgentDefinition] = []
    by_name: dict[str, Path] = {}
    for file in files:
        if not loading.wants(file, folder):
            continue
        made = loading.read(file, folder, partial(read_definition, source=folder.source, path=file))
        if made is None:
            continue
        other = by_name.setdefault(made.name, file)
        if other is file:
            found.append(made)
        else:
            text = f"{other.name} defines {made.name} already."
            loading.problems.append(DefinitionProblem(text=text, path=file, severity="error"))
    return found


def _files_in(folder: Path) -> tuple[list[Path], bool]:
    """Return the Markdown files of a folder by name, and whether there are more than that."""
    return entries_in(folder, is_markdown, MAX_FILES)
